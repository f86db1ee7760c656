/** Sends the events of a file in batches. A line that is refused is reported, and the others go on. */
import { createHash } from "node:crypto";
import { createWriteStream, type WriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { type EventCreate, InvalidError } from "@tallystick/client";
import type { Context } from "../io.ts";
import { UsageError } from "../outcome.ts";
import type { Api } from "./api-command.ts";
import { type Line, readCsv, readJsonLines } from "./event-lines.ts";

const BATCH_EVENTS_MAX = 100;
const BATCHES_AT_ONCE = 4;
const REPORT_EVERY_EVENTS = 10_000;

type Import = { file: string; format?: string; rejected?: string };
type Figures = { sent: number; created: number; duplicate: number; rejected: number };
type Importing = Context & { api: Api };

export async function importEvents({ api, io, outcome }: Importing, { file, format, rejected }: Import): Promise<void> {
  const read = readerOf(file, format);
  const input = file === "-" ? io.stdin : (await open(file)).createReadStream();
  const refused = rejected === undefined ? undefined : createWriteStream(rejected);
  const figures: Figures = { sent: 0, created: 0, duplicate: 0, rejected: 0 };
  const reject = (line: Line, why: string): void => {
    figures.rejected++;
    io.err(`line ${line.number}: ${why}`);
    refused?.write(`${line.text}\n`);
  };
  const report = reporter(figures, io.err);
  await inParallel(batchesOf(read(input), reject), BATCHES_AT_ONCE, async (batch) => {
    await sendBatch(api, batch, { figures, reject });
    report();
  });
  await close(refused);
  const { sent, created, duplicate, rejected: count } = figures;
  api.print(figures, `${sent} events sent: ${created} new, ${duplicate} stored before, ${count} rejected`);
  if (count > 0) outcome.code = 1;
}

function readerOf(file: string, format: string | undefined) {
  const chosen = format ?? (file.endsWith(".csv") ? "csv" : "jsonl");
  const read = { csv: readCsv, jsonl: readJsonLines }[chosen];
  if (!read) throw new UsageError("--format takes jsonl or csv.");
  return read;
}

type Outlet = { figures: Figures; reject: (line: Line, why: string) => void };

/** A batch is all or nothing: those that are refused are taken out, and the others are sent again. */
async function sendBatch(api: Api, batch: readonly Line[], { figures, reject }: Outlet): Promise<void> {
  let lines = batch;
  while (lines.length > 0) {
    try {
      const stored = await api.tally.events.sendBatch(lines.map(toEvent));
      figures.sent += stored.length;
      for (const { outcome } of stored) figures[outcome]++;
      return;
    } catch (error) {
      if (!(error instanceof InvalidError)) throw error;
      const wrong = new Map(Object.entries(error.fields).filter(([index]) => /^\d+$/.test(index)));
      if (wrong.size === 0) throw error;
      for (const [index, codes] of wrong) {
        const line = lines[Number(index)];
        if (line) reject(line, inWords(codes));
      }
      lines = lines.filter((_, index) => !wrong.has(String(index)));
    }
  }
}

const inWords = (codes: unknown): string =>
  Object.entries(codes as Record<string, readonly string[]>)
    .map(([member, names]) => `${member}: ${[names].flat().join(", ")}`)
    .join("; ");

/** The same file gives the same ids, and two equal lines of it are two events. */
function toEvent({ number, text, event }: Line): EventCreate {
  const digest = () => createHash("sha256").update(`${number}\n${text}`).digest("hex").slice(0, 32);
  return { ...event, transaction_id: event.transaction_id ?? `import-${digest()}` } as EventCreate;
}

async function* batchesOf(lines: AsyncIterable<Line>, reject: Outlet["reject"]): AsyncGenerator<Line[]> {
  let batch: Line[] = [];
  for await (const line of lines) {
    if (line.fault === undefined) batch.push(line);
    else reject(line, line.fault);
    if (batch.length < BATCH_EVENTS_MAX) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Takes the next item only when one of those at work is done. */
async function inParallel<Item>(
  items: AsyncGenerator<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const lane = async (): Promise<void> => {
    for (let next = await items.next(); !next.done; next = await items.next()) await work(next.value);
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, lane));
  } finally {
    await items.return(undefined);
  }
}

function reporter(figures: Figures, say: (text: string) => void): () => void {
  let reported = 0;
  return () => {
    if (figures.sent - reported < REPORT_EVERY_EVENTS) return;
    reported = figures.sent;
    say(`${figures.sent} events sent …`);
  };
}

async function close(stream: WriteStream | undefined): Promise<void> {
  if (!stream) return;
  stream.end();
  await finished(stream);
}
