/** A small HTTP server that fails in the ways that networks, proxies and services fail. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export type Seen = { method: string; path: string; headers: IncomingHttpHeaders; body: string };
/** How one request is answered. */
export type Fate = (answer: ServerResponse) => void;

export const answers =
  (status: number, body: object | string = {}, headers: Record<string, string> = {}): Fate =>
  (answer) =>
    answer.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));

/** The connection ends without an answer. */
export const cutsOff: Fate = (answer) => answer.destroy();

/** The connection ends in the middle of the answer. */
export const cutsInHalf: Fate = (answer) => {
  answer.writeHead(200, { "content-length": "1000" });
  answer.write('{"tax":', () => answer.destroy());
};

/** Answers one request after the other; the last fate is that of all that follow. */
export async function startFailingServer(...fates: [Fate, ...Fate[]]): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, answer) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.once("end", () => {
      const { method = "", url: path = "", headers } = request;
      const fate = fates[Math.min(seen.length, fates.length - 1)];
      seen.push({ method, path, headers, body: Buffer.concat(parts).toString() });
      fate?.(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}
