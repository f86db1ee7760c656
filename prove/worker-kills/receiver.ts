/** The outside, to which messages are delivered: writes down each id before it acknowledges it. */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import type { Records } from "./work.ts";

/** Between receiving and acknowledging, where a kill leaves the sender in doubt. */
const ANSWER_AFTER_MS = 80;

export type Receiver = { url: string; stop: () => Promise<void> };

export async function startReceiver(records: Records): Promise<Receiver> {
  const receive = async (request: IncomingMessage): Promise<number> => {
    const { id } = JSON.parse(await text(request));
    await records.query("insert into prove.received (message_id) values ($1)", [id]);
    await pause(ANSWER_AFTER_MS);
    return 200;
  };
  const server = createServer((request, response) => {
    void receive(request)
      // A sender that is killed while it sends has sent nothing.
      .catch(() => 400)
      .then((status) => response.writeHead(status).end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
