/**
 * The sender, in its own process. Bodies are created before the clock starts. Each connection sends its next request when the answer
 * to the last one arrives, and reads an answer only up to its length.
 */
import { connect, type Socket } from "node:net";
import { type Mix, makeBatches } from "./workload.ts";

export type Sending = {
  url: string;
  keys: readonly string[];
  connections: number;
  requests: number;
  /** 0: single events. */
  batchSize: number;
  mix: Mix;
};
export type Sent = {
  seconds: number;
  cpuSeconds: number;
  answered: Record<number, number>;
  p50Ms: number;
  p99Ms: number;
};

process.once("message", (sending: Sending) => {
  const bodies = makeRequests(sending);
  const begin = async (): Promise<void> => {
    process.send?.(await sendAll(sending, bodies));
  };
  process.once("message", () => void begin());
  process.send?.("ready");
});

function makeRequests({ keys, requests, batchSize, mix }: Sending): Buffer[] {
  const path = batchSize === 0 ? "/api/v1/events" : "/api/v1/events/batch";
  return makeBatches(requests, Math.max(batchSize, 1), mix).map((events, index) => {
    const body = Buffer.from(JSON.stringify(batchSize === 0 ? { event: events[0] } : { events }));
    const head = [
      `POST ${path} HTTP/1.1`,
      "Host: bench",
      `Authorization: Bearer ${keys[index % keys.length]}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
    ];
    return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
  });
}

async function sendAll({ url, connections }: Sending, bodies: readonly Buffer[]): Promise<Sent> {
  const { hostname, port } = new URL(url);
  const queue = bodies.values();
  const answered: Record<number, number> = {};
  const timesMs: number[] = [];
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(hostname, Number(port))));
  const begun = performance.now();
  const cpu = process.cpuUsage();
  await Promise.all(
    sockets.map(async (socket) => {
      const ask = asker(socket);
      for (const body of queue) {
        const requested = performance.now();
        const status = await ask(body);
        timesMs.push(performance.now() - requested);
        answered[status] = (answered[status] ?? 0) + 1;
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  for (const socket of sockets) socket.destroy();
  timesMs.sort((a, b) => a - b);
  const quantile = (share: number) => timesMs[Math.floor(share * (timesMs.length - 1))] ?? 0;
  return { seconds, cpuSeconds: (user + system) / 1e6, answered, p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
}

function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket));
    socket.once("error", reject);
  });
}

/** One request at a time; resolves with the status. */
function asker(socket: Socket): (request: Buffer) => Promise<number> {
  let head: Buffer = Buffer.alloc(0);
  let left = 0;
  let status = 0;
  let answer: ((status: number) => void) | undefined;
  socket.on("data", (chunk: Buffer) => {
    if (left === 0) {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return;
      const text = head.toString("latin1", 0, end);
      status = Number(text.slice(9, 12));
      left = end + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0) - head.length;
      head = Buffer.alloc(0);
    } else {
      left -= chunk.length;
    }
    if (left === 0) answer?.(status);
  });
  return (request) =>
    new Promise((resolve) => {
      answer = resolve;
      socket.write(request);
    });
}
