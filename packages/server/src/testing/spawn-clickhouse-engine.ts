/** The development engine as its own process, so that a test can kill it like a server. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export type SpawnedEngine = {
  /** Without a database. */
  url: string;
  pid: number;
  /** Kills the process like a power failure would. Its data stays. */
  kill: () => Promise<void>;
  stop: () => Promise<void>;
};

/** With `data` it keeps its data; `port` restarts it at the same address. */
export async function spawnClickhouseEngine(options: { data?: string; port?: number } = {}): Promise<SpawnedEngine> {
  const program = fileURLToPath(new URL("../../../../tools/clickhouse-engine/main.ts", import.meta.url));
  const data = options.data === undefined ? [] : ["--data", options.data];
  const child = spawn(process.execPath, [program, "--port", String(options.port ?? 0), "--ends-with-stdin", ...data], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").once("data", resolve);
    child.once("exit", (code) => reject(new Error(`the ClickHouse engine ended with ${code} before it listened`)));
  });
  const endBy = (signal: NodeJS.Signals) => async (): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  const { url }: { url: string } = JSON.parse(line);
  return { url, pid: child.pid ?? 0, kill: endBy("SIGKILL"), stop: endBy("SIGTERM") };
}
