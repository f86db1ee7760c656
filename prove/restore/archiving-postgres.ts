/** A cluster that archives its log, a base backup of it, and what is restored from both. */
import { existsSync } from "node:fs";
import { chmod, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";
import { runOn } from "../../packages/server/src/platform/postgres/temporary-database.ts";
import { killServer } from "../kills/killable-postgres.ts";
import { bytesIn, copyData, writeInto } from "./data-folder.ts";

const LOOK_EVERY_MS = 20;
const ARCHIVED_WITHIN_MS = 120_000;

/** Everything of one primary: its data, its backup and its archive lie side by side in the folder. */
export type ArchivingPostgres = {
  readonly url: string;
  /** Ends the open piece of the log and waits until it is in the archive. */
  archiveNow: (signal: AbortSignal) => Promise<void>;
  /** SIGKILL, and the data is gone: what is left is the backup and the archive. */
  lose: () => Promise<void>;
  stop: () => Promise<void>;
};

const primaryOf = (folder: string): string => join(folder, "primary");
const backupOf = (folder: string): string => join(folder, "backup");
const archiveOf = (folder: string): string => join(folder, "archive");

export async function startArchivingPostgres(
  folder: string,
  archiveTimeoutSeconds: number,
): Promise<ArchivingPostgres> {
  const archive = archiveOf(folder);
  // The server may run as another user.
  for (const open of [folder, archive]) {
    await mkdir(open, { recursive: true });
    await chmod(open, open === archive ? 0o777 : 0o755);
  }
  const server = await startEmbeddedPostgres({
    dataFolder: primaryOf(folder),
    settings: [
      "archive_mode=on",
      `archive_timeout=${archiveTimeoutSeconds}`,
      `archive_command=${archiveCommand(archive)}`,
    ],
  });
  return {
    url: server.url,
    archiveNow: async (signal) => {
      const [piece] = await runOn<{ name: string }>(server.url, "select pg_walfile_name(pg_switch_wal()) as name");
      const name = piece?.name ?? "";
      const begun = performance.now();
      while (!existsSync(join(archive, name))) {
        if (performance.now() - begun > ARCHIVED_WITHIN_MS) throw new Error(`${name} is not archived`);
        await pause(LOOK_EVERY_MS, undefined, { signal });
      }
    },
    lose: async () => {
      await killServer(primaryOf(folder));
      // It is dead already: this only makes its starter forget it.
      await server.stop();
      await rm(primaryOf(folder), { recursive: true, force: true, maxRetries: 20 });
    },
    stop: () => server.stop(),
  };
}

/** A piece is in the archive as a whole or not at all, and one that is there already is left as it is. */
export const archiveCommand = (archive: string): string =>
  `cmp -s %p '${archive}/%f' || (test ! -f '${archive}/%f' && cp %p '${archive}/%f.part' && mv '${archive}/%f.part' '${archive}/%f')`;

export const restoreCommand = (archive: string): string => `cp '${archive}/%f' %p`;

/** While everything goes on: what is copied is put right by the log of the time that it took. */
export async function makeBaseBackup(folder: string, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("select pg_backup_start('prove', true)");
    await copyData(join(primaryOf(folder), "data"), backupOf(folder));
    const { rows } = await client.query<{ labelfile: string }>("select labelfile from pg_backup_stop(true)");
    await writeInto(backupOf(folder), "backup_label", rows[0]?.labelfile ?? "");
  } finally {
    await client.end();
  }
}

/** How far: to an instant, as far as the archive goes, or no further than the backup itself. */
export type Target = Temporal.Instant | "end" | "backup";

export type Restored = {
  server: EmbeddedPostgres;
  backupBytes: number;
  /** Of the archive when the restore began: the server reads from it what it needs. */
  archiveBytes: number;
};

/** Into a folder of its own. Resolves when the server takes connections, for writing too. */
export async function restore(folder: string, into: string, target: Target): Promise<Restored> {
  const archive = archiveOf(folder);
  const archiveBytes = await bytesIn(archive);
  await mkdir(into, { recursive: true });
  const backupBytes = await copyData(backupOf(folder), join(into, "data"));
  await writeInto(join(into, "data"), "recovery.signal", "");
  const server = await startEmbeddedPostgres({
    dataFolder: into,
    settings: [
      `restore_command=${restoreCommand(archive)}`,
      "recovery_target_action=promote",
      // No connection is accepted before it has come to its target.
      "hot_standby=off",
      ...targetSettings(target),
    ],
  });
  return { server, backupBytes, archiveBytes };
}

function targetSettings(target: Target): string[] {
  if (target === "end") return [];
  if (target === "backup") return ["recovery_target=immediate"];
  // So early a server knows zones as numbers only.
  return [`recovery_target_time=${target.toString().replace("Z", "+00")}`];
}
