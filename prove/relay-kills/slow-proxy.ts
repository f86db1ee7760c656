/** Lets answers of the engine come a moment later: then rows are in and nobody knows it, which is when kills tell the most. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

const LATER_MS = 120;

export type SlowProxy = { url: string; stop: () => Promise<void> };

export async function startSlowProxy(engineUrl: string): Promise<SlowProxy> {
  const target = new URL(engineUrl);
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const engine = connect({ host: target.hostname, port: Number(target.port) });
    for (const [socket, other] of [
      [client, engine],
      [engine, client],
    ] as const) {
      open.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => open.delete(socket));
    }
    client.pipe(engine);
    engine.on("data", (chunk) => setTimeout(() => client.write(chunk), LATER_MS));
    engine.on("close", () => setTimeout(() => client.destroy(), LATER_MS));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = new URL(engineUrl);
  url.port = String(port);
  return {
    url: url.toString(),
    stop: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
