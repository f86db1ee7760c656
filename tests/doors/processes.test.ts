// `npm start` with several processes, seen from outside: they are one service.

import { connect } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { composePlatform } from "../../packages/server/src/main/compose.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { newId } from "../../packages/server/src/platform/new-id.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";
import { createTemporaryDatabase } from "../../packages/server/src/platform/postgres/temporary-database.ts";
import { closeAfterTest, type Door, descendantsOf, livingOf, openProcess, PUBLIC_URL, stopDoor } from "./door.ts";

const WITHIN_MS = 180_000;
const AT_ONCE = 3;

let server: EmbeddedPostgres;
let url: string;
let key: string;
let door: Door;
let address: string;

const start = () => {
  const settings = { DATABASE_URL: url, PUBLIC_URL, API_PROCESSES: "2", REQUESTS_AT_ONCE: String(AT_ONCE) };
  return openProcess(process.execPath, ["packages/server/src/main/start.ts"], settings);
};

beforeAll(async () => {
  server = await startEmbeddedPostgres();
  url = (await createTemporaryDatabase(server.url)).url;
  const platform = composePlatform(readConfig({ DATABASE_URL: url, LOG_LEVEL: "silent" }));
  ({ key } = await makeOrganization(platform, { isSandbox: true, keyName: "test", name: "Whole" }));
  await platform.close();
  door = start();
  // The heavy one too.
  const log = await door.prints("stderr", /(Server listening at[\s\S]*){3}/, WITHIN_MS);
  address = /Server listening at (http:[^"]+)"/.exec(log)?.[1] ?? "";
}, WITHIN_MS);
afterAll(async () => {
  await stopDoor(door);
  await server.stop();
});

/** Each request opens a connection, and the processes take turns with those. */
const get = async (path: string) => {
  const headers = { authorization: `Bearer ${key}`, connection: "close" };
  const answer = await fetch(`${address}${path}`, { headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};
const getEach = (count: number, path: string) => Promise.all(Array.from({ length: count }, () => get(path)));
const statusOf = async (path: string) => (await get(path)).status;

/** A request whose body never comes. Resolves to whether it is under way: one that is refused is answered. */
async function holdRequest(): Promise<() => boolean> {
  const socket = connect(Number(new URL(address).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const head = ["POST /api/v1/taxes HTTP/1.1", "Host: a", `Authorization: Bearer ${key}`, "Expect: 100-continue"];
  socket.write(`${[...head, "Content-Type: application/json", "Content-Length: 10"].join("\r\n")}\r\n\r\n`);
  let answer = "";
  await new Promise<void>((resolve) => {
    socket.setEncoding("utf8").on("data", (data: string) => {
      answer += data;
      resolve();
    });
  });
  return () => !/HTTP\/1\.1 [2-5]/.test(answer);
}

test("the limit of requests at once counts over all processes", async () => {
  const held: (() => boolean)[] = [];
  const holdOneMore = async () => {
    held.push(await holdRequest());
    return statusOf("/api/v1/taxes");
  };
  await expect.poll(holdOneMore, { timeout: WITHIN_MS }).toBe(429);
  expect(held.filter((isUnderWay) => isUnderWay())).toHaveLength(AT_ONCE);
});

test("any process shows the metrics of all", async () => {
  await expect.poll(() => statusOf("/api/v1/taxes"), { timeout: WITHIN_MS }).toBe(200);
  const countOf = async () => {
    const [, count] =
      /http_request_seconds_count\{[^}]*route="\/health"[^}]*\} (\d+)/.exec((await get("/metrics")).text) ?? [];
    return Number(count ?? 0);
  };
  const before = await countOf();
  await getEach(10, "/health");
  await expect.poll(countOf, { timeout: WITHIN_MS }).toBe(before + 10);
  expect(await countOf()).toBe(before + 10);
});

test("if the process for heavy requests is killed, other requests are answered, and heavy ones again soon", async () => {
  const heavy = `/api/v1/invoices/${newId()}/verification`;
  expect(await statusOf(heavy)).toBe(404);
  const [pid] = descendantsOf(door.pid).filter((one) => livingOf([one]).some((line) => line.includes("--only heavy")));
  process.kill(pid ?? 0, "SIGKILL");
  expect(await statusOf("/api/v1/taxes")).toBe(200);
  await expect.poll(() => statusOf(heavy), { timeout: WITHIN_MS }).toBe(404);
});

/** Sends one request after another on a connection that it keeps, until there is no service any more. Returns the statuses. */
async function sendUntilRefused(onFirst: () => void): Promise<number[]> {
  const statuses: number[] = [];
  for (;;)
    try {
      const answer = await fetch(`${address}/api/v1/taxes`, { headers: { authorization: `Bearer ${key}` } });
      await answer.text();
      statuses.push(answer.status);
      onFirst();
    } catch {
      return statuses;
    }
}

test("a signal ends all processes while clients keep sending on open connections, and every request is answered", async () => {
  const senders = Array.from({ length: AT_ONCE }, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { first: promise, statuses: sendUntilRefused(resolve) };
  });
  await Promise.all(senders.map(({ first }) => first));
  door.signal("npm");
  // Exit code 1 would say that a process gave up waiting.
  expect(await door.ends(WITHIN_MS)).toMatchObject({ code: 0 });
  const statuses = (await Promise.all(senders.map((sender) => sender.statuses))).flat();
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test("if the first process is killed, the others end", async () => {
  const other = closeAfterTest(start());
  await other.prints("stderr", /worker started/, WITHIN_MS);
  process.kill(other.pid, "SIGKILL");
  expect(await other.ends(WITHIN_MS)).toMatchObject({ signal: "SIGKILL" });
});
