/** The outside that webhooks come to. It is never killed, and remembers the bytes of all that came in a round. */
import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { type HttpServer, startReceiver } from "../kills/receiver.ts";

/** The first message of this type is refused once, so that the attempt is repeated. */
const REFUSED_TYPE = "invoice.drafted";

/** By the id of a message: the digests of the bodies that came under it, each as often as it came. */
export type Received = ReadonlyMap<string, readonly string[]>;

export type Receiver = HttpServer & {
  /** Forgets what came before. */
  begin: () => void;
  received: () => Received;
};

export async function startMessageReceiver(): Promise<Receiver> {
  let received = new Map<string, string[]>();
  let hasRefused = false;
  const server = await startReceiver(async (request) => {
    const body = await buffer(request);
    if (!hasRefused && JSON.parse(body.toString()).webhook_type === REFUSED_TYPE) {
      hasRefused = true;
      return 500;
    }
    const id = String(request.headers["webhook-id"]);
    received.set(id, [...(received.get(id) ?? []), digestOf(body)]);
    return 200;
  });
  return {
    ...server,
    begin: () => {
      received = new Map();
      hasRefused = false;
    },
    received: () => received,
  };
}

export const digestOf = (body: string | Buffer): string => createHash("sha256").update(body).digest("hex");
