// Follows a page like a person: runs its commands, copies output into the next ones, keeps services running.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Door, freePort, openProcess, root, stopDoor } from "../doors/door.ts";

/** Generous for a loaded machine: only a hanging one fails. */
const DEADLINE_MS = 180_000;

export type SessionOptions = {
  /** Actual values for the examples on a page. */
  given: Readonly<Record<string, string>>;
  dataFolder: string;
};

export type Session = {
  /** Returns the output of the command. */
  type: (command: string) => Promise<string>;
  /** Replaces the example ports of a page. */
  adapt: (text: string) => string;
  leave: () => Promise<void>;
};

/** Where a person finds what a page writes as `…`. */
const COPIED: Readonly<Record<string, RegExp>> = {
  TALLYSTICK_API_KEY: /tsk_\w{8}_\w{32}_\w{6}/,
  KEY: /tsk_\w{8}_\w{32}_\w{6}/,
  ORGANIZATION: /(?<=organization +)[0-9a-f-]{36}/,
  KEY_ID: /(?<=^key )\w{8}/,
  CLOCK: /(?<="svc_id":")[0-9a-f-]{36}/,
  SECRETS_KEY: /[\w+/]{43}=/,
  METRIC: /(?<="svc_id":")[0-9a-f-]{36}/,
};

const RUNS_ON = /^npm (start|run dev|run -s sandbox)\b/;

export async function openSession({ given, dataFolder }: SessionOptions): Promise<Session> {
  const [service, sandbox] = [await freePort(), await freePort()];
  const env: Record<string, string> = { PORT: String(service), DATABASE_LOGIN_CHECK: "refuse" };
  const printed: string[] = [];
  const running: Door[] = [];
  const adapt = (text: string): string =>
    text
      .replaceAll("127.0.0.1:3000", `127.0.0.1:${service}`)
      .replaceAll(/(127\.0\.0\.1:|--port )3001/g, `$1${sandbox}`);

  const copy = (name: string, shown: string): string => {
    const value = given[name] ?? (shown.includes("…") ? lastMatch(printed, COPIED[name]) : shown);
    if (value === undefined) throw new Error(`nothing was printed that could be ${name}=${shown}`);
    return value;
  };
  const keepRunning = async (command: string): Promise<string> => {
    const isDev = command.startsWith("npm run dev");
    const door = openProcess("sh", ["-c", isDev ? `${command} -- --data ${dataFolder}` : command], env);
    running.push(door);
    await door.prints("stderr", /Server listening/, DEADLINE_MS);
    return command.includes("sandbox") ? door.prints("stdout", /\n/, DEADLINE_MS) : door.stdout();
  };
  const type = async (command: string): Promise<string> => {
    if (command === "npm ci") {
      // Already done, because this test runs.
      if (!existsSync(join(root, "node_modules/.package-lock.json"))) throw new Error("npm ci has not run here");
      return "";
    }
    const [, name, shown] = /^export (\w+)=(\S+)$/.exec(command) ?? [];
    const [, forgotten] = /^unset (\w+)$/.exec(command) ?? [];
    if (name !== undefined) env[name] = copy(name, adapt(shown ?? ""));
    else if (forgotten !== undefined) env[forgotten] = "";
    else printed.push(await (RUNS_ON.test(command) ? keepRunning : finish)(adapt(command)));
    return name === undefined && forgotten === undefined ? (printed.at(-1) ?? "") : "";
  };
  const finish = async (command: string): Promise<string> => {
    const { code, stdout, stderr } = await openProcess("sh", ["-euc", command], env).ends(DEADLINE_MS);
    if (code !== 0) throw new Error(`${command}\nended with ${code}:\n${stdout}${stderr}`);
    return stdout;
  };
  return { type, adapt, leave: async () => void (await Promise.all(running.map(stopDoor))) };
}

function lastMatch(printed: readonly string[], pattern: RegExp | undefined): string | undefined {
  if (pattern === undefined) return undefined;
  return printed.map((text) => pattern.exec(text)?.[0]).findLast((found) => found !== undefined);
}
