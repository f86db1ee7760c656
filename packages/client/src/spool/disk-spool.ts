/** Events as JSON lines in a folder: files that only grow, and go with their last event. */
import {
  closeSync,
  fdatasync,
  fsyncSync,
  ftruncate,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  write,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Place, Spool } from "../usage-buffer.ts";
import { lockFolder } from "./lock.ts";

export type SpoolOptions = {
  /** Also survives a loss of power, and not only of the process. Slower: calls at the same time share one wait. */
  fsync?: boolean;
  /** Gets a sentence on each file with lines that cannot be read. The file is kept under another name. Default: throws. */
  onDamaged?: (message: string) => void;
};

type File = {
  path: string;
  unconfirmed: number;
  events: number;
  bytes: number;
  fd?: number | undefined;
  /** Has lines that cannot be read: it is kept under another name. */
  isDamaged?: boolean;
};
type Line = { text: string; resolve: (place: Place) => void; reject: (error: unknown) => void };

const ENDING = ".jsonl";
const DAMAGED = ".damaged";
/** Then a new file begins, so that confirmed events do not stay long. */
const EVENTS_PER_FILE = 1_000;

const writeAsync = promisify(write);
const syncAsync = promisify(fdatasync);
const truncateAsync = promisify(ftruncate);

/** Opens the folder, or throws if another process has it. Each process needs a folder of its own. */
export function openSpool(folder: string, options: SpoolOptions = {}): Spool {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unlock = lockFolder(folder);
  try {
    return new DiskSpool(folder, options, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

class DiskSpool implements Spool {
  readonly #folder: string;
  readonly #isSynced: boolean;
  readonly #unlock: () => void;
  #left: { text: string; place: File }[] | undefined;
  #current: File | undefined;
  #lines: Line[] = [];
  #isWriting = false;
  #isClosed = false;
  #nextFile: number;

  constructor(folder: string, { fsync = false, onDamaged }: SpoolOptions, unlock: () => void) {
    this.#folder = folder;
    this.#isSynced = fsync;
    this.#unlock = unlock;
    const names = readdirSync(folder);
    // Later than every other, damaged ones included, whatever the clock says.
    this.#nextFile = 1 + Math.max(0, ...names.map((name) => Number.parseInt(name, 10) || 0));
    const files = names.filter((name) => name.endsWith(ENDING));
    this.#left = files.sort().flatMap((name) => readFile(join(folder, name), onDamaged));
  }

  begin(): readonly { text: string; place: Place }[] {
    const left = this.#left;
    if (left === undefined) throw new Error("A spool is for one usage buffer: open another folder.");
    this.#left = undefined;
    return left;
  }

  append(text: string): Promise<Place> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new Error("The spool is closed.");
      this.#lines.push({ text, resolve, reject });
      if (!this.#isWriting) void this.#writeAll();
    });
  }

  confirm(place: Place): void {
    const file = place as File;
    file.unconfirmed--;
    if (file.unconfirmed > 0) return;
    if (file === this.#current) this.#current = undefined;
    closeFile(file);
    removeFile(file);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#current) closeFile(this.#current);
    this.#unlock();
  }

  /** What comes while the disk is busy is written, and synced, together. */
  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#lines.length > 0) {
      const lines = this.#lines.splice(0);
      try {
        const file = await this.#write(lines);
        for (const { resolve } of lines) resolve(file);
      } catch (error) {
        for (const { reject } of lines) reject(error);
      }
    }
    this.#isWriting = false;
  }

  async #write(lines: readonly Line[]): Promise<File> {
    if (this.#current && this.#current.events >= EVENTS_PER_FILE) this.#seal(this.#current);
    this.#current ??= this.#createFile();
    const file = this.#current;
    const { fd = -1 } = file;
    // Counted before, so that the file stays when all its other events are confirmed meanwhile.
    file.unconfirmed += lines.length;
    file.events += lines.length;
    try {
      const bytes = Buffer.from(lines.map(({ text }) => `${text}\n`).join(""));
      for (let done = 0; done < bytes.length; )
        done += (await writeAsync(fd, bytes, done, bytes.length - done, file.bytes + done)).bytesWritten;
      if (this.#isSynced) await syncAsync(fd);
      file.bytes += bytes.length;
      return file;
    } catch (error) {
      // Nobody will hear of these lines again, so none of them may stay.
      await truncateAsync(fd, file.bytes).catch(() => undefined);
      this.#seal(file);
      file.unconfirmed -= lines.length;
      if (file.unconfirmed === 0) removeFile(file);
      throw error;
    }
  }

  #seal(file: File): void {
    if (this.#current === file) this.#current = undefined;
    closeFile(file);
  }

  #createFile(): File {
    const path = join(this.#folder, `${String(this.#nextFile++).padStart(12, "0")}${ENDING}`);
    const fd = openSync(path, "wx", 0o600);
    if (this.#isSynced) syncFolder(this.#folder);
    return { path, unconfirmed: 0, events: 0, bytes: 0, fd };
  }
}

function closeFile(file: File): void {
  if (file.fd !== undefined) closeSync(file.fd);
  file.fd = undefined;
}

function removeFile({ path, isDamaged }: File): void {
  try {
    if (isDamaged) renameSync(path, `${path}${DAMAGED}`);
    else unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** A new file is there after a loss of power only if its folder was synced. Windows cannot, and need not. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(folder, "r");
  fsyncSync(fd);
  closeSync(fd);
}

/** The events that an earlier process left in a file. */
function readFile(path: string, onDamaged: SpoolOptions["onDamaged"]): { text: string; place: File }[] {
  const lines = readFileSync(path, "utf8").split("\n");
  // What follows the last line break was never finished: its `record` has not resolved.
  lines.pop();
  const texts = lines.filter(isEvent);
  const isDamaged = texts.length < lines.length;
  if (isDamaged) {
    const message = `${lines.length - texts.length} lines of ${path} cannot be read.`;
    if (!onDamaged) throw new Error(`${message} Repair or remove the file, or set onDamaged.`);
    onDamaged(`${message} When its other events are sent, it is kept as ${path}${DAMAGED}.`);
  }
  const file: File = { path, unconfirmed: texts.length, events: texts.length, bytes: 0, isDamaged };
  if (texts.length === 0) removeFile(file);
  return texts.map((text) => ({ text, place: file }));
}

function isEvent(line: string): boolean {
  try {
    return typeof JSON.parse(line) === "object";
  } catch {
    return false;
  }
}
