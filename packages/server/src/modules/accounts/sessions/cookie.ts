/** The cookie of a session. Its prefix makes a browser refuse one that another host or plain http has set. */
const NAME = "tallystick";

export type SessionCookie = {
  read: (header: string | undefined) => string | undefined;
  /** The header that sets it. It goes with the browser window; the service ends the session earlier. */
  set: (token: string) => string;
  clear: () => string;
};

export function createSessionCookie(publicUrl: string): SessionCookie {
  const isSecure = publicUrl.startsWith("https:");
  const name = isSecure ? `__Host-${NAME}` : NAME;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  return {
    read: (header) =>
      header
        ?.split(";")
        .map((pair) => pair.trim())
        .find((pair) => pair.startsWith(`${name}=`))
        ?.slice(name.length + 1) || undefined,
    set: (token) => `${name}=${token}; ${attributes}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
  };
}
