/** Connections that send slowly are closed. A real server, because the limits are about sockets. */
import { readFileSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startTallystick } from "../testing/start-tallystick.ts";

const { app, organizations } = await startTallystick({
  settings: { HEADERS_TIMEOUT_SECONDS: "1", REQUEST_TIMEOUT_SECONDS: "2" },
});
await app.listen({ host: "127.0.0.1", port: 0 });
const { port } = app.server.address() as AddressInfo;

const HEAD = [
  "POST /api/v1/taxes HTTP/1.1",
  "Host: x",
  `Authorization: Bearer ${organizations[0]?.key}`,
  "Content-Type: application/json",
  "Content-Length: 1000",
];

/** Sends a byte now and then until the server closes the connection. Returns what it said, and after how many seconds. */
function drip(first: string, next: string): Promise<{ text: string; seconds: number }> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const socket = connect(port, "127.0.0.1");
    let text = "";
    const tap = setInterval(() => next && socket.writable && socket.write(next), 100);
    socket.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    socket.once(
      "error",
      (error: NodeJS.ErrnoException) => error.code !== "ECONNRESET" && error.code !== "EPIPE" && reject(error),
    );
    socket.once("close", () => {
      clearInterval(tap);
      resolve({ text, seconds: (performance.now() - started) / 1000 });
    });
    if (first) socket.write(first);
  });
}

test.each([
  ["headers that arrive byte by byte", `${HEAD.join("\r\n")}\r\nX-Slow: `, "a", 1],
  ["a header that never ends", HEAD[0] ?? "", "", 1],
  ["a connection that sends nothing", "", "", 1],
  ["a body that arrives byte by byte", `${HEAD.join("\r\n")}\r\n\r\n{`, " ", 2],
  ["a body that never ends", `${HEAD.join("\r\n")}\r\n\r\n{`, "", 2],
])("%s: the connection ends at the limit", { timeout: 30_000 }, async (_, first, next, limit) => {
  const { text, seconds } = await drip(first, next);
  expect(seconds).toBeGreaterThanOrEqual(limit - 0.1);
  // Node looks twice a second; the rest is for a machine that is busy.
  expect(seconds).toBeLessThan(limit + 8);
  expect(text === "" || text.startsWith("HTTP/1.1 408 Request Timeout")).toBe(true);
});

test("meanwhile, other requests are answered", async () => {
  const slow = drip(`${HEAD.join("\r\n")}\r\n\r\n{`, " ");
  expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
  await slow;
});

test("the limits are those of SECURITY.md, unless a setting changes them", async () => {
  const usual = await startTallystick();
  const { headersTimeout, requestTimeout } = usual.app.server;
  const words = readFileSync(join(import.meta.dirname, "../../../../SECURITY.md"), "utf8");
  expect(words).toContain(
    `| time to send the headers; the whole request | ${headersTimeout / 1000} s; ${requestTimeout / 1000} s |`,
  );
});
