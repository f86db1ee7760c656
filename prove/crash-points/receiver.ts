/** The outside that webhooks come to. It is never killed, and remembers the bytes of all that came in a round. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** The first message of this type is refused once, so that an attempt is made again. */
const REFUSED_TYPE = "invoice.drafted";

/** By the id of a message: the digests of the bodies that came under it, each as often as it came. */
export type Received = ReadonlyMap<string, readonly string[]>;

export type Receiver = {
  url: string;
  /** Forgets what came before. */
  begin: () => void;
  received: () => Received;
  stop: () => Promise<void>;
};

export async function startReceiver(): Promise<Receiver> {
  let received = new Map<string, string[]>();
  let hasRefused = false;

  const receive = async (request: IncomingMessage): Promise<number> => {
    const body = await buffer(request);
    if (!hasRefused && JSON.parse(body.toString()).webhook_type === REFUSED_TYPE) {
      hasRefused = true;
      return 500;
    }
    const id = String(request.headers["webhook-id"]);
    received.set(id, [...(received.get(id) ?? []), digestOf(body)]);
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
    url: `http://127.0.0.1:${port}`,
    begin: () => {
      received = new Map();
      hasRefused = false;
    },
    received: () => received,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export const digestOf = (body: string | Buffer): string => createHash("sha256").update(body).digest("hex");
