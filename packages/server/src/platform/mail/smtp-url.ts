/** Reads SMTP_URL. Mail contains names and amounts, so it is encrypted unless the server is on this machine or the operator opts out. */

export type SmtpServer = {
  host: string;
  port: number;
  secure: boolean;
  requireTLS: boolean;
  auth?: { user: string; pass: string };
};

const OWN_MACHINE = ["localhost", "127.0.0.1", "[::1]"];

export const isSmtpUrl = (text: string): boolean => {
  if (/\s|%(?![\da-f]{2})/i.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(text);
  const hasRest = (pathname !== "" && pathname !== "/") || hash !== "" || (search !== "" && search !== "?tls=optional");
  return ["smtp:", "smtps:"].includes(protocol) && hostname !== "" && !hasRest;
};

export function readSmtpUrl(text: string): SmtpServer {
  const { protocol, hostname, port, username, password, search } = new URL(text);
  const secure = protocol === "smtps:";
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && search === "" && !OWN_MACHINE.includes(hostname),
    ...(username === "" ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
  };
}
