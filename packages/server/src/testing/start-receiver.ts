/** A local receiver of webhooks that records what it received and answers as the test says. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

export type Received = { path: string; headers: IncomingHttpHeaders; body: string };
/** By path. Other paths answer 200. */
export type Answers = Record<string, (answer: ServerResponse, received: Received) => void>;

export type Receiver = {
  url: (path: string) => string;
  received: Received[];
  answers: Answers;
  /** The highest number of concurrent requests to a path. */
  mostAtOnce: (path: string) => number;
};

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const answers: Answers = {};
  const atOnce = new Map<string, { now: number; most: number }>();
  const server = createServer((incoming, answer) => {
    const path = incoming.url ?? "";
    const count = atOnce.get(path) ?? { now: 0, most: 0 };
    count.now++;
    count.most = Math.max(count.most, count.now);
    atOnce.set(path, count);
    answer.once("close", () => count.now--);
    const parts: Buffer[] = [];
    incoming.on("data", (part: Buffer) => parts.push(part));
    incoming.once("end", () => {
      const message = { path, headers: incoming.headers, body: Buffer.concat(parts).toString() };
      received.push(message);
      const reply = answers[path];
      if (reply) reply(answer, message);
      else answer.end("taken");
    });
  });
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    received,
    answers,
    mostAtOnce: (path) => atOnce.get(path)?.most ?? 0,
  };
}
