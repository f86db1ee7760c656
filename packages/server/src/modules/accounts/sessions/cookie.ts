/** Cookies: that of a session, and that of a sign-in that is under way. Their prefix makes a browser refuse one that another host or plain http has set. */
const SESSION = "tallystick";

export type SessionCookie = {
  read: (header: string | undefined) => string | undefined;
  /** The header that sets it. It goes with the browser window; the service ends the session earlier. */
  set: (token: string) => string;
  clear: () => string;
};

export function createSessionCookie(publicUrl: string, plainName = SESSION): SessionCookie {
  const isSecure = publicUrl.startsWith("https:");
  const name = isSecure ? `__Host-${plainName}` : plainName;
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
