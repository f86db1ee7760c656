/** A second process of the service, for tests of what two processes must agree on. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { CLICKHOUSE_OFF, childEnvironment } from "../main/config.ts";

/** Not main/start.ts, which refuses a server with fsync off, such as the test server. Returns the address of its API. */
export function startSecondProcess(databaseUrl: string): Promise<string> {
  const program = fileURLToPath(new URL("./serve-api.ts", import.meta.url));
  const child = spawn(process.execPath, [program], {
    env: childEnvironment({ DATABASE_URL: databaseUrl, CLICKHOUSE_URL: CLICKHOUSE_OFF, LOG_LEVEL: "silent" }),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  afterAll(async () => {
    child.stdin.end();
    await ended;
  });
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding("utf8").once("data", resolve);
    child.once("exit", (code) => reject(new Error(`the second process ended with ${code} before it listened`)));
  });
}
