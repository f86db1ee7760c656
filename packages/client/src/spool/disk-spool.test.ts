import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openSpool, SpoolInUseError } from "./index.ts";

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tallystick-spool-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const eventFiles = (folder: string) => readdirSync(folder).filter((name) => name.includes(".jsonl"));
const textsIn = (folder: string) =>
  eventFiles(folder)
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), "utf8").trimEnd().split("\n"));
const event = (number: number) => JSON.stringify({ transaction_id: `t${number}` });
const textsOf = (left: readonly { text: string }[]) => left.map(({ text }) => text);

test.each([false, true])("an event is in the folder when append resolves (fsync: %s)", async (fsync) => {
  const folder = makeFolder();
  const spool = openSpool(folder, { fsync });
  await Promise.all(Array.from({ length: 50 }, (_, number) => spool.append(event(number))));
  await spool.append(event(50));
  expect(textsIn(folder)).toEqual(Array.from({ length: 51 }, (_, number) => event(number)));
  spool.close();
  const again = openSpool(folder);
  expect(textsOf(again.begin())).toEqual(Array.from({ length: 51 }, (_, number) => event(number)));
  expect(() => again.begin()).toThrow("one usage buffer");
  again.close();
});

test("a file goes with its last event, also when others are still written", async () => {
  const folder = makeFolder();
  const spool = openSpool(folder);
  const places = await Promise.all(Array.from({ length: 1_000 }, (_, number) => spool.append(event(number))));
  const next = await spool.append(event(1_000));
  expect(eventFiles(folder)).toHaveLength(2);
  for (const place of places) spool.confirm(place);
  expect(textsIn(folder)).toEqual([event(1_000)]);
  const last = await spool.append(event(1_001));
  spool.confirm(next);
  expect(textsIn(folder)).toEqual([event(1_000), event(1_001)]);
  spool.confirm(last);
  expect(eventFiles(folder)).toEqual([]);
  spool.close();
  expect(readdirSync(folder)).toEqual([]);
});

test("files are for their owner only", async () => {
  const folder = join(makeFolder(), "spool");
  const spool = openSpool(folder);
  await spool.append(event(1));
  if (process.platform !== "win32")
    for (const path of [folder, ...readdirSync(folder).map((name) => join(folder, name))])
      expect(statSync(path).mode & 0o077).toBe(0);
  spool.close();
});

test("half of a last line is ignored: its record has not resolved", async () => {
  const folder = makeFolder();
  writeFileSync(join(folder, "000000000001.jsonl"), `${event(1)}\n${event(2).slice(0, 9)}`);
  writeFileSync(join(folder, "000000000002.jsonl"), event(3).slice(0, 4));
  const spool = openSpool(folder);
  const left = spool.begin();
  expect(textsOf(left)).toEqual([event(1)]);
  for (const { place } of left) spool.confirm(place);
  expect(eventFiles(folder)).toEqual([]);
  spool.close();
});

test("a whole line that cannot be read is not dropped in silence: it throws, or its file is kept", async () => {
  const folder = makeFolder();
  const text = `${event(1)}\n{"transaction_id":"t2\0\0\n${event(3)}\n`;
  writeFileSync(join(folder, "1.jsonl"), text);
  expect(() => openSpool(folder)).toThrow("1 lines of");
  const messages: string[] = [];
  const spool = openSpool(folder, { onDamaged: (message) => messages.push(message) });
  const left = spool.begin();
  expect(textsOf(left)).toEqual([event(1), event(3)]);
  for (const { place } of left) spool.confirm(place);
  expect(readFileSync(join(folder, "1.jsonl.damaged"), "utf8")).toBe(text);
  expect(messages).toEqual([expect.stringContaining("1.jsonl.damaged")]);
  await spool.append(event(4));
  expect(eventFiles(folder)).toEqual(["000000000002.jsonl", "1.jsonl.damaged"]);
  spool.close();
});

test("an event that could not be written rejects, leaves nothing behind, and does not stop the next", async () => {
  const folder = makeFolder();
  const spool = openSpool(folder);
  await spool.append(event(1));
  // The folder is gone when the next file is made.
  const first = await spool.append(event(2));
  rmSync(folder, { recursive: true });
  await Promise.all(Array.from({ length: 998 }, (_, number) => spool.append(event(number))));
  await expect(spool.append(event(3))).rejects.toThrow("ENOENT");
  spool.confirm(first);
  spool.close();
  await expect(spool.append(event(4))).rejects.toThrow("closed");
});

test("one process, and one spool in it, has the folder at a time", () => {
  const folder = makeFolder();
  const spool = openSpool(folder);
  expect(() => openSpool(folder)).toThrow(SpoolInUseError);
  spool.close();
  openSpool(folder).close();
});

test("the lock of a process that has ended is taken over; that of one that runs is not", () => {
  const folder = makeFolder();
  const lock = (owner: object) => writeFileSync(join(folder, "lock"), JSON.stringify({ token: "t", ...owner }));
  // The process id of this process, of a container before it that had the same one.
  lock({ pid: process.pid, host: hostname() });
  openSpool(folder).close();
  lock({ pid: 2 ** 22 + 1, host: hostname() });
  openSpool(folder).close();
  lock({ pid: process.ppid, host: hostname() });
  expect(() => openSpool(folder)).toThrow(`process ${process.ppid}`);
  lock({ pid: 1, host: "another-host" });
  expect(() => openSpool(folder)).toThrow("another-host");
  expect(readdirSync(folder)).toEqual(["lock"]);
});

test("what is not finished at the end of a file does not mix with what comes later", async () => {
  const folder = makeFolder();
  const spool = openSpool(folder);
  await spool.append(event(1));
  spool.close();
  const [name = ""] = eventFiles(folder);
  appendFileSync(join(folder, name), '{"trans');
  const next = openSpool(folder);
  await next.append(event(2));
  next.close();
  expect(textsOf(openSpool(folder).begin())).toEqual([event(1), event(2)]);
});
