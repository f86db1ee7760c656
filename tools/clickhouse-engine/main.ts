/**
 * `npm run clickhouse`: the real ClickHouse engine over HTTP, for development and tests. Prints one line of JSON,
 * `{"url":"http://127.0.0.1:8123"}`, when it listens, and ends on SIGTERM or SIGINT. Never part of an installation.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { serveEngine } from "./serve-engine.ts";

const { data, port, ...given } = parseArgs({
  options: {
    data: { type: "string" },
    port: { type: "string", default: "8123" },
    "ends-with-stdin": { type: "boolean", default: false },
  },
}).values;
if (data !== undefined) mkdirSync(data, { recursive: true });
const path = data ?? mkdtempSync(join(tmpdir(), "tallystick-clickhouse-"));
const served = await serveEngine({ path, port: Number(port) });
console.log(JSON.stringify({ url: `http://127.0.0.1:${served.port}` }));

let isEnding = false;
async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  await served.close();
  if (data === undefined) rmSync(path, { recursive: true, force: true });
  process.exit(0);
}
process.on("SIGTERM", end);
process.on("SIGINT", end);
// The engine must end with its parent, even if the parent is killed.
if (given["ends-with-stdin"]) process.stdin.resume().once("end", end);
