/** A JSON file that only you can read. */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export function readPrivate<Value>(file: string): Record<string, Value> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return {};
  }
  try {
    return JSON.parse(text) as Record<string, Value>;
  } catch {
    throw new Error(`${file} is not JSON. Repair or remove it, then run "tallystick login".`);
  }
}

/** As a whole. */
export function replacePrivate(file: string, value: object): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  // A file that was there keeps its mode.
  chmodSync(unfinished, 0o600);
  renameSync(unfinished, file);
}
