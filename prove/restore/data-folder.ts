/** Copies the files of a cluster, with their owners: from a server that runs, for a backup, and back, for a restore. */
import { copyFile, lchown, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What a server recreates when it starts, and log that belongs into the archive: only the folders are copied. */
const LEFT_EMPTY = new Set([
  "pg_wal",
  "pg_replslot",
  "pg_dynshmem",
  "pg_notify",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
]);
const LEFT_OUT = new Set(["postmaster.pid", "postmaster.opts"]);

/** Returns how many bytes were copied. A file that goes meanwhile is no longer needed: the log says that it went. */
export async function copyData(from: string, to: string): Promise<number> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  await giveToOwnerOf(from, to);
  let bytes = 0;
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (LEFT_OUT.has(entry.name)) continue;
    if (entry.isFile()) bytes += await copyOne(source, target);
    else if (LEFT_EMPTY.has(entry.name)) {
      await mkdir(target, { mode: 0o700 });
      await giveToOwnerOf(source, target);
    } else if (entry.isDirectory()) bytes += await copyData(source, target);
  }
  return bytes;
}

async function copyOne(source: string, target: string): Promise<number> {
  try {
    await copyFile(source, target);
    await giveToOwnerOf(source, target);
    return (await stat(target)).size;
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return 0;
    throw error;
  }
}

/** A file of a few words in a data folder. */
export async function writeInto(folder: string, name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), text, { mode: 0o600 });
  await giveToOwnerOf(folder, join(folder, name));
}

async function giveToOwnerOf(owned: string, path: string): Promise<void> {
  const { uid, gid } = await stat(owned);
  await lchown(path, uid, gid);
}

/** Of the files in a folder, without those below. One that was renamed meanwhile does not count. */
export async function bytesIn(folder: string): Promise<number> {
  const sizeOf = (name: string): Promise<number> =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    );
  const sizes = await Promise.all((await readdir(folder)).map(sizeOf));
  return sizes.reduce((sum, size) => sum + size, 0);
}
