/** What someone waits for who tries the service: from an empty folder to an invoice and its PDF, and in a clone until it is ready. */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { packServer } from "../scripts/pack/server.ts";
import { makeFirstInvoice } from "./package/first-invoice.ts";

const ROOT = join(import.meta.dirname, "..");
const PORT = "4899";
/** Starts of `npm run dev` on data that is there. */
const WARM_STARTS = 5;

/** Seconds since the command, and the load of the machine when it began. */
type Seconds = Readonly<Record<string, number>>;

export async function measurePackage(): Promise<Readonly<Record<string, Seconds>>> {
  const folder = mkdtempSync(join(tmpdir(), "tallystick-package-"));
  // The embedded Postgres may run as another user.
  chmodSync(folder, 0o755);
  try {
    const tarball = await packServer(folder);
    const node = `node-${process.platform}-${process.arch}@${process.versions.node}`;
    const own = { PATH: [join(ROOT, "node_modules/.bin"), process.env.PATH].join(delimiter) };
    const cold = (name: string) => ({ npm_config_cache: join(folder, name) });
    const project = join(folder, "project");
    mkdirSync(project);
    const npx = (env: NodeJS.ProcessEnv, ...packages: string[]) =>
      measure(project, ["npx", "-y", ...packages.flatMap((name) => ["-p", name]), "tallystick", "dev"], env);
    return {
      "npx, nothing cached, Node fetched too": await npx(cold("cache"), node, tarball),
      "npx, the same again": await npx(cold("cache"), node, tarball),
      "npx, nothing cached": await npx({ ...cold("cache-2"), ...own }, tarball),
      "npx, the same again, Node installed": await npx({ ...cold("cache-2"), ...own }, tarball),
      "npm run dev": await measureClone(join(folder, "data")),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In this clone, with its installed packages: first with a database that is made at that moment, then with that database. */
async function measureClone(data: string): Promise<Seconds> {
  const load = loadNow();
  const start = (): Promise<number> =>
    run(ROOT, ["npm", "run", "dev", "--", "--data", data], {}, async ({ ready }) => ready);
  const first = await start();
  const warm: number[] = [];
  while (warm.length < WARM_STARTS) warm.push(await start());
  warm.sort((a, b) => a - b);
  return { load, first, warmFastest: warm[0] ?? 0, warmMedian: warm[Math.floor(WARM_STARTS / 2)] ?? 0 };
}

/** With a database that is made at that moment. */
async function measure(cwd: string, command: readonly string[], env: NodeJS.ProcessEnv): Promise<Seconds> {
  const reached: Record<string, number> = { load: loadNow() };
  await run(cwd, command, env, async ({ ready, sinceBegin, key }) => {
    reached.ready = ready;
    await makeFirstInvoice(`http://127.0.0.1:${PORT}`, key, (moment) => {
      reached[moment] = sinceBegin();
    });
  });
  rmSync(join(cwd, ".tallystick"), { recursive: true, force: true });
  return reached;
}

const loadNow = (): number => Math.round((loadavg()[0] ?? 0) * 10) / 10;

type Started = { ready: number; sinceBegin: () => number; key: string };

/** Starts the service, uses it and stops it. */
async function run<Result>(
  cwd: string,
  [program = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  use: (started: Started) => Promise<Result>,
): Promise<Result> {
  const begun = performance.now();
  const sinceBegin = (): number => Math.round((performance.now() - begun) / 10) / 100;
  const settings = { DATABASE_URL: "", PORT, npm_lifecycle_event: undefined, ...env };
  const child = spawn(program, args, { cwd, env: { ...process.env, ...settings }, detached: true });
  let printed = "";
  const ready = new Promise<number>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        if (printed.includes("Server listening")) resolve(sinceBegin());
      });
    child.once("exit", () => reject(new Error(printed)));
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  try {
    return await use({ ready: await ready, sinceBegin, key: /Demo key {3}(tsk_\w+)/.exec(printed)?.[1] ?? "" });
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    await ended;
  }
}
