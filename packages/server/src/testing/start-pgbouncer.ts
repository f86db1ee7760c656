/** A real PgBouncer in transaction mode in front of a test's Postgres, with few connections to it. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../platform/free-port.ts";

/** Debian keeps it where only root looks. */
const PLACES = ["pgbouncer", "/usr/sbin/pgbouncer", "/usr/local/sbin/pgbouncer"];

const program = PLACES.find((place) => spawnSync(place, ["--version"]).status === 0);

/** CI installs it; elsewhere, its tests are skipped if it is missing. */
export const hasPgbouncer = program !== undefined;

export type Pgbouncer = {
  /** The same database and login as `databaseUrl`, through the pooler. */
  urlOf: (databaseUrl: string) => string;
  stop: () => Promise<void>;
};

export type PgbouncerOptions = { serverConnections: number; settings?: readonly string[] };

export async function startPgbouncer(serverUrl: string, options: PgbouncerOptions): Promise<Pgbouncer> {
  const port = await freePort();
  const { hostname, port: serverPort, username } = new URL(serverUrl);
  const folder = mkdtempSync(join(tmpdir(), "tallystick-pgbouncer-"));
  const file = join(folder, "pgbouncer.ini");
  const settings = [
    ...["[databases]", `* = host=${hostname} port=${serverPort || "5432"} user=${username}`, "[pgbouncer]"],
    ...[`listen_port = ${port}`, "listen_addr = 127.0.0.1", "unix_socket_dir =", "auth_type = any"],
    ...["pool_mode = transaction", `default_pool_size = ${options.serverConnections}`, "max_client_conn = 300"],
    ...(options.settings ?? []),
  ];
  writeFileSync(file, settings.join("\n"));
  chmodSync(folder, 0o755);
  chmodSync(file, 0o644);
  const user = process.getuid?.() === 0 ? ["--user", "nobody"] : [];
  const child = spawn(program ?? "pgbouncer", [...user, file], { stdio: ["ignore", "ignore", "pipe"] });
  await untilItListens(child);
  return {
    urlOf: (databaseUrl) => {
      const url = new URL(databaseUrl);
      url.host = `127.0.0.1:${port}`;
      return url.toString();
    },
    stop: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function untilItListens(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      if (log.includes("process up")) resolve();
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`PgBouncer ended with ${code}:\n${log}`)));
  });
}
