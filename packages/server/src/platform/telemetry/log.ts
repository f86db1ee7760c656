/** Structured logs on stderr; what could be a secret never reaches them. */
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

/** An API key wherever it stands, also in a URL that a caller wrote it into; the part by which it is named stays. */
const API_KEY = /(tsk_[0-9A-Za-z]{8})_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}/g;

export function createLog(level: string, stream: DestinationStream = destination(2)): Log {
  const options = {
    level,
    redact: { paths: SECRETS, censor: "[redacted]" },
    hooks: { streamWrite: (line: string) => line.replace(API_KEY, "$1_[redacted]") },
    base: { service: "tallystick" },
  };
  return pino(options, stream);
}
