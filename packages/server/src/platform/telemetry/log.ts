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

export function createLog(level: string, stream: DestinationStream = destination(2)): Log {
  return pino({ level, redact: { paths: SECRETS, censor: "[redacted]" }, base: { service: "tallystick" } }, stream);
}
