// Runs the commands of package.json like a person or a program, and waits for output instead of time.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

export const root = join(import.meta.dirname, "../..");

export type End = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

export type Door = {
  pid: number;
  stdout: () => string;
  stderr: () => string;
  /** Resolves when the stream matches; rejects if the command ends first or time is up. */
  prints: (stream: "stdout" | "stderr", pattern: RegExp, withinMs: number) => Promise<string>;
  /** Resolves when the command and all processes that share its output have ended; rejects when time is up. */
  ends: (withinMs: number) => Promise<End>;
  /** To npm alone, as a careless program does, or to its whole process group, as a terminal does. */
  signal: (to: "npm" | "group") => void;
};

/** Ignores settings of the developer's machine: an empty DATABASE_URL counts as unset and hides the one in `.env`. */
const settings = {
  ...{
    REQUESTS_DATABASE_URL: "DATABASE_URL",
    MIGRATE_DATABASE_URL: "DATABASE_URL",
    VERIFY_DATABASE_URL: "DATABASE_URL",
  },
  // The tests use the superuser of their own server.
  DATABASE_LOGIN_CHECK: "off",
  ...{ DATABASE_URL: "", CLICKHOUSE_URL: "none", PUBLIC_URL: "as-served" },
  ...{ PORT: "0", LOG_LEVEL: "info", HOST: "127.0.0.1", API_PROCESSES: "1" },
  ...{ SECRETS_KEY: "none", SECRETS_KEY_FILE: "none" },
};

/** An installation has an address of its own. */
export const PUBLIC_URL = "https://billing.example";

/** The same sources are loaded dozens of times. */
const surroundings = { ...process.env, ...settings, NODE_COMPILE_CACHE: join(root, ".data/compile-cache") };

/** `npm run -s NAME -- …` in its own process group. Processes that a test leaves running are ended after it. */
export function openDoor(args: readonly string[], env: Record<string, string> = {}): Door {
  return openProcess("npm", args, env);
}

export function openProcess(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = root,
): Door {
  const child = spawn(program, args, {
    cwd,
    detached: true,
    env: { ...surroundings, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} is not installed`);
  const text = { stdout: collect(child, "stdout"), stderr: collect(child, "stderr") };
  const closed = new Promise<End>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal, stdout: text.stdout(), stderr: text.stderr() }));
  });
  const lastWords = () => `\n${[program, ...args].join(" ")}\n${text.stdout()}${text.stderr()}`;
  return {
    pid,
    ...text,
    prints: (stream, pattern, withinMs) =>
      new Promise((resolve, reject) => {
        const look = () => pattern.test(text[stream]()) && resolve(text[stream]());
        child[stream].on("data", look);
        look();
        void closed.then(() => reject(new Error(`ended without printing ${pattern}:${lastWords()}`)));
        whenTimeIsUp(withinMs, () => reject(new Error(`no ${pattern} within ${withinMs} ms:${lastWords()}`)));
      }),
    ends: (withinMs) =>
      new Promise((resolve, reject) => {
        void closed.then(resolve);
        whenTimeIsUp(withinMs, () => reject(new Error(`still runs after ${withinMs} ms:${lastWords()}`)));
      }),
    signal: (to) => void process.kill(to === "group" ? -pid : pid, "SIGTERM"),
  };
}

/** A command that ends by itself. */
export const passDoor = (args: readonly string[], env?: Record<string, string>): Promise<End> =>
  openDoor(args, env).ends(120_000);

function collect(child: ChildProcess, stream: "stdout" | "stderr"): () => string {
  let text = "";
  child[stream]?.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  return () => text;
}

function whenTimeIsUp(ms: number, then: () => void): void {
  // Whole milliseconds: a limit that grows with the load is rarely a whole number.
  AbortSignal.timeout(Math.ceil(ms)).addEventListener("abort", then, { once: true });
}

/** Stops a process after the test, also if the test failed. */
export function closeAfterTest(door: Door): Door {
  onTestFinished(() => stopDoor(door));
  return door;
}

export async function stopDoor(door: Door): Promise<void> {
  if (livingOf([door.pid, ...descendantsOf(door.pid)]).length > 0) door.signal("group");
  await door.ends(60_000);
}

/** A temporary folder for the commands of this test file only, so that leftovers are theirs. */
export function privateTemporaryFolder(): { path: string; leftovers: () => string[] } {
  const path = mkdtempSync(join(tmpdir(), "tallystick-doors-"));
  // The embedded Postgres may run as another user.
  chmodSync(path, 0o755);
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  return { path, leftovers: () => readdirSync(path).filter((name) => name.startsWith("tallystick-")) };
}

type Process = { pid: number; parent: number; group: number; hasEnded: boolean; command: string };

function listProcesses(): Process[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat=,args="], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const [, pid, parent, group, stat = "", command = ""] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined) return [];
    // A process without a command has already freed its memory; a zombie only waits for its parent.
    const hasEnded = stat.startsWith("Z") || command.startsWith("[");
    return { pid: Number(pid), parent: Number(parent), group: Number(group), hasEnded, command };
  });
}

/** Children and their children, including an embedded Postgres. */
export function descendantsOf(pid: number): number[] {
  const all = listProcesses();
  const childrenOf = (parent: number): number[] =>
    all.filter((process) => process.parent === parent).flatMap((child) => [child.pid, ...childrenOf(child.pid)]);
  return childrenOf(pid);
}

/** The processes or process groups that still run. */
export const livingOf = (pids: readonly number[]): string[] =>
  listProcesses()
    .filter((process) => (pids.includes(process.pid) || pids.includes(process.group)) && !process.hasEnded)
    .map((process) => `${process.pid} ${process.command}`);

/** A free port. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
