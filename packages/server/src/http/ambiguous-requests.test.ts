/**
 * A proxy and this service must agree where a request ends, or one caller's bytes become another's request. What could be read in two ways
 * is refused, and the connection ends.
 */
import { type AddressInfo, connect } from "node:net";
import { afterAll, expect, it, test } from "vitest";
import { startTallystick } from "../testing/start-tallystick.ts";

const { app, organizations } = await startTallystick();
await app.listen({ host: "127.0.0.1", port: 0 });
const { port } = app.server.address() as AddressInfo;
afterAll(() => app.close());

const [mine, theirs] = organizations;
const headOf = (key = "") => `Host: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
const HIDDEN = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";

/** The statuses of the answers, in their order. The last request says that it is the last. */
function send(text: string): Promise<{ statuses: number[]; answer: string }> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.setEncoding("utf8").on("data", (part: string) => {
      answer += part;
    });
    socket.once("error", reject);
    socket.once("close", () => {
      const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
      resolve({ statuses, answer });
    });
  });
}

const CHUNKED = `2\r\n{}\r\n0\r\n\r\n${HIDDEN}`;

it.each([
  ["two lengths", `Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}${HIDDEN}`],
  ["the same length twice", `Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}${HIDDEN}`],
  ["a length and chunks", `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKED}`],
  ["a length with a sign", `Content-Length: +2\r\n\r\n{}${HIDDEN}`],
  ["a length below zero", `Content-Length: -2\r\n\r\n{}${HIDDEN}`],
  ["a length in hexadecimal", `Content-Length: 0x2\r\n\r\n{}${HIDDEN}`],
  ["chunks that are not last", `Transfer-Encoding: chunked, identity\r\n\r\n${CHUNKED}`],
  ["an encoding that looks like chunked", `Transfer-Encoding: xchunked\r\n\r\n${CHUNKED}`],
  ["two encodings", `Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n${CHUNKED}`],
  ["a space before the colon", `Transfer-Encoding : chunked\r\n\r\n${CHUNKED}`],
  ["a chunk that is too large to count", `Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n{}`],
  ["a line that continues a header", `Content-Length: 2\r\nX: a\r\n b\r\n\r\n{}${HIDDEN}`],
])("%s is refused, and nothing behind it is read as a request", async (_, rest) => {
  expect((await send(`POST /api/v1/taxes HTTP/1.1\r\n${headOf(mine?.key)}${rest}`)).statuses).toEqual([400]);
});

test("lines that end with only a line feed are refused", async () => {
  expect((await send("GET /health HTTP/1.1\nHost: x\n\n")).statuses).toEqual([400]);
});

test("a trailer behind the chunks brings no key", async () => {
  const head = "Host: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n";
  const trailer = `2\r\n{}\r\n0\r\nAuthorization: Bearer ${mine?.key}\r\n\r\n`;
  expect((await send(`POST /api/v1/taxes HTTP/1.1\r\n${head}\r\n${trailer}`)).statuses).toEqual([401]);
});

test("requests of several callers in one connection are each answered as their own", async () => {
  await app.inject({
    method: "POST",
    url: "/api/v1/taxes",
    headers: { authorization: `Bearer ${mine?.key}` },
    payload: { tax: { name: "mine", code: "only-mine", rate: "1" } },
  });
  const list = (key = "", last = "") =>
    `GET /api/v1/taxes HTTP/1.1\r\nHost: x\r\n${key && `Authorization: Bearer ${key}\r\n`}${last}\r\n`;
  const { statuses, answer } = await send(
    [list(mine?.key), list(theirs?.key), list(), list(theirs?.key, "Connection: close\r\n")].join(""),
  );
  expect(statuses).toEqual([200, 200, 401, 200]);
  expect(answer.match(/only-mine/g)).toHaveLength(1);
  expect(answer.indexOf("only-mine")).toBeLessThan(answer.lastIndexOf("HTTP/1.1 401"));
});

it.each([
  "/files/../../etc/passwd",
  "/files/%2e%2e/%2e%2e/etc/passwd",
  "/docs/../package.json",
  "/docs/js/..%2f..%2fpackage.json",
  "/.env",
  "/api/v1/../../metrics",
])("no path leads out of the routes: %s", async (path) => {
  const { statuses } = await send(`GET ${path} HTTP/1.1\r\n${headOf(mine?.key)}Connection: close\r\n\r\n`);
  expect(statuses).toEqual([404]);
});
