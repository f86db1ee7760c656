/** Structured logs on stderr, without anything that could be a secret. */
import { type DestinationStream, destination, type Logger, pino } from "pino";

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

export function createLog(level: string, stream: DestinationStream = destination(2)): Log {
  const options = {
    level,
    redact: { paths: SECRETS, censor: "[redacted]" },
    hooks: {
      streamWrite: (line: string) =>
        line.replace(API_KEY, "$1_[redacted]").replace(WEBHOOK_SECRET, "whsec_[redacted]").replace(PEM, "[redacted]"),
    },
    base: { service: "tallystick" },
  };
  return pino(options, stream);
}
