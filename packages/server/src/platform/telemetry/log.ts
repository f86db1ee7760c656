/** Structured logs on stderr, without anything that could be a secret. */
import { type DestinationStream, destination, type Logger, pino, stdSerializers } from "pino";
import { readableLines } from "./readable-lines.ts";

export type Log = Logger;

const SECRETS = [
  "req.headers.authorization",
  "headers.authorization",
  "*.authorization",
  "*.token",
  "*.api_key",
  "*.secret",
  "*.password",
  "*.connectionString",
];

/** An API key anywhere in a text, even in a URL. Its public prefix stays. */
const API_KEY = /(tsk_[0-9A-Za-z]{8})_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}/g;

const WEBHOOK_SECRET = /whsec_[A-Za-z0-9+/]{43}=/g;
/** JSON writes its line ends as `\n`. */
const PEM = /-----BEGIN PRIVATE KEY-----[A-Za-z0-9+/=\\]+-----END PRIVATE KEY-----/g;

/** Whoever has a signed link can read the file, and whoever reads a log should not. */
const SIGNATURE = /([?&](?:amp;)?signature=)[\w%-]+/g;

/** An address in what a mail server or a database says. Slashes are left out, so that paths of packages stay readable. */
const EMAIL = /[^\s"'<>(),:;\\@[\]/]{1,64}@[^\s"'<>(),:;\\@[\]/]{1,255}\.[^\s"'<>(),:;\\@[\]/]{2,}/g;

/** Of any text that is kept. The public prefix of an API key stays. */
export const withoutSecrets = (text: string): string =>
  text.replace(API_KEY, "$1_[redacted]").replace(WEBHOOK_SECRET, "whsec_[redacted]").replace(PEM, "[redacted]");

const redact = (line: string): string =>
  withoutSecrets(line).replace(SIGNATURE, "$1[redacted]").replace(EMAIL, "[email]");

/** In these, Postgres quotes values of rows and parameters. */
const QUOTING = ["detail", "where", "internalQuery"];

const withoutValues = (error: Error) =>
  Object.fromEntries(Object.entries(stdSerializers.err(error)).filter(([name]) => !QUOTING.includes(name)));

type Request = {
  method: string;
  ip: string;
  routeOptions: { url?: string | undefined };
  params: unknown;
};

/**
 * The path of the route with our own ids. The rest of a URL is what callers chose: external ids can be names and addresses of people,
 * queries have search terms and signatures, and an unknown path can be anything. Files are opened by people, so their addresses are left
 * out too.
 */
function describeRequest({ method, ip, routeOptions, params }: Request) {
  const route = routeOptions.url;
  const path = route?.replace(/:(\w+)/g, (placeholder, name: string) => {
    const value = (params as Record<string, unknown> | null | undefined)?.[name];
    return typeof value === "string" && OWN_ID.test(value) ? value : placeholder;
  });
  return { method, path: path ?? "no such path", ...(route?.startsWith("/api/") ? { remoteAddress: ip } : {}) };
}

const OWN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A person reads lines, a program JSON. */
const standardError = (): DestinationStream => (process.stderr.isTTY ? readableLines(process.stderr) : destination(2));

export function createLog(level: string, stream: DestinationStream = standardError()): Log {
  const options = {
    level,
    redact: { paths: SECRETS, censor: "[redacted]" },
    hooks: { streamWrite: redact },
    serializers: { err: withoutValues, req: describeRequest },
    base: { service: "tallystick" },
  };
  return pino(options, stream);
}
