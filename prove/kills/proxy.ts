/** A TCP proxy between the service and one of its stores. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type StoreProxy = {
  /** Of the store, through the proxy. */
  url: string;
  stop: () => Promise<void>;
};

/** `target` is read for every connection; `pass` says what goes from one side to the other. */
export async function startProxy(
  target: () => URL,
  pass: (client: Socket, server: Socket) => void,
): Promise<StoreProxy> {
  const open = new Set<Socket>();
  const proxy = createServer({ noDelay: true }, (client) => {
    const { port, hostname: host } = target();
    const server = connect({ port: Number(port), host, noDelay: true });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => open.delete(socket));
    }
    client.on("close", () => server.destroy());
    pass(client, server);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const url = new URL(target());
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.toString(),
    stop: async () => {
      const closed = once(proxy, "close");
      proxy.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
