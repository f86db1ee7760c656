/** Log lines for a person at a terminal: `12:34:56 warn  a webhook endpoint was disabled  endpoint=…`. */
import type { DestinationStream } from "pino";

const LEVELS: Readonly<Record<number, string>> = {
  10: "trace",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "fatal",
};

/** The same for every line, or said elsewhere in it. */
const LEFT_OUT = new Set(["level", "time", "pid", "hostname", "service", "msg", "err", "reqId"]);

type Line = { level: number; time: number; msg?: string; err?: { stack?: string; message?: string } };

export function readableLines(target: { write: (text: string) => unknown }): DestinationStream {
  return { write: (line) => void target.write(toReadable(line)) };
}

function toReadable(json: string): string {
  let line: Line & Record<string, unknown>;
  try {
    line = JSON.parse(json);
  } catch {
    return json;
  }
  const time = Temporal.Instant.fromEpochMilliseconds(line.time).toString({ smallestUnit: "second" }).slice(11, 19);
  const members = Object.entries(line).flatMap(([name, value]) => (LEFT_OUT.has(name) ? [] : inText(name, value)));
  const stack = line.err ? `\n${line.err.stack ?? line.err.message ?? ""}` : "";
  const level = (LEVELS[line.level] ?? String(line.level)).padEnd(5);
  return `${[`${time} ${level} ${line.msg ?? ""}`, ...members].join("  ")}${stack}\n`;
}

/** The members of a record are named one by one. */
function inText(name: string, value: unknown): string[] {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return Object.entries(value).map(([inner, text]) => `${inner}=${plain(text)}`);
  return [`${name}=${plain(value)}`];
}

const plain = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
