/** The outside that messages are delivered to: an HTTP server in the process that is never killed. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type HttpServer = { url: string; stop: () => Promise<void> };

export async function startHttpServer(
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<HttpServer> {
  const server = createServer(onRequest);
  // As the world has it: connections wait in line when many come at once.
  server.listen(0, "127.0.0.1", 1024);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Answers with the status that `receive` resolves with. */
export const startReceiver = (receive: (request: IncomingMessage) => Promise<number>): Promise<HttpServer> =>
  startHttpServer((request, response) => {
    void receive(request)
      // A sender that is killed while it sends has sent nothing.
      .catch(() => 400)
      .then((status) => response.writeHead(status).end());
  });
