/** One process at a time in a folder: two would send each other's events, and remove each other's files. */
import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, statSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { systemNow } from "../clock.ts";

/** Another process has the folder. */
export class SpoolInUseError extends Error {
  override name = "SpoolInUseError";
}

type Owner = { pid: number; host: string; token: string };

const FILE = "lock";
/** Of another host, one cannot see whether its process runs: it shows by touching the file. */
const TOUCH_EVERY_MS = 10_000;
const SILENT_MS = 60_000;

/** The tokens of this process: another one with its process id is of a process that has ended. */
const own = new Set<string>();

/** Returns the function that releases the folder. */
export function lockFolder(folder: string): () => void {
  const file = join(folder, FILE);
  const token = randomUUID();
  // Linked when it is complete, so that a reader never finds half of it.
  const draft = join(folder, `${FILE}.${token}`);
  writeFileSync(draft, JSON.stringify({ pid: process.pid, host: hostname(), token } satisfies Owner), { mode: 0o600 });
  try {
    while (!linkOf(draft, file)) removeStale(file, folder);
  } finally {
    unlinkSync(draft);
  }
  own.add(token);
  const touch = setInterval(() => touchIfThere(file), TOUCH_EVERY_MS).unref();
  return () => {
    clearInterval(touch);
    own.delete(token);
    if (ownerOf(file)?.token === token) unlinkSync(file);
  };
}

/** Whether it was made: false if the file is there. */
function linkOf(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Removes the lock of a process that has ended; throws if it runs. */
function removeStale(file: string, folder: string): void {
  const owner = ownerOf(file);
  if (owner === undefined) return;
  if (isAlive(owner, file)) {
    throw new SpoolInUseError(
      `The process ${owner.pid} on ${owner.host} uses the folder ${folder}. Give each process a folder of its own. ` +
        `If that process is another program by now, remove ${file}.`,
    );
  }
  const aside = join(folder, `${FILE}.${randomUUID()}`);
  try {
    renameSync(file, aside);
  } catch {
    return; // Another process was faster.
  }
  // It was replaced since it was read: it goes back.
  if (ownerOf(aside)?.token !== owner.token) linkOf(aside, file);
  unlinkSync(aside);
}

function isAlive({ pid, host, token }: Owner, file: string): boolean {
  if (host !== hostname()) return systemNow() - statSync(file).mtimeMs < SILENT_MS;
  if (pid === process.pid) return own.has(token);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, as another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function ownerOf(file: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function touchIfThere(file: string): void {
  const now = systemNow() / 1000;
  try {
    utimesSync(file, now, now);
  } catch {
    // The folder was removed: then nothing is left to protect.
  }
}
