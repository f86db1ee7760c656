/** The outside: some take everything, some are slow, and some hang, answer 500 or break the connection. */
import type { ServerResponse } from "node:http";
import { systemClock } from "../../packages/server/src/platform/clock.ts";
import { startHttpServer } from "../kills/receiver.ts";

/** Below the time that a receiver has. */
const SLOW_MS = 500;

/** How often each kind is among the ten endpoints that an organization may have. */
export const KINDS = { healthy: 5, slow: 2, hanging: 1, failing: 1, resetting: 1 } as const;
export type Kind = keyof typeof KINDS;

const ANSWERS: Readonly<Record<Kind, (answer: ServerResponse) => void>> = {
  healthy: (answer) => void answer.end(),
  slow: (answer) => void setTimeout(() => answer.end(), SLOW_MS),
  hanging: () => undefined,
  failing: (answer) => void answer.writeHead(500).end(),
  resetting: (answer) => void answer.destroy(),
};

export type Receivers = {
  /** For the n-th of a kind of an organization. */
  urlOf: (organizationId: string, kind: Kind, number: number) => string;
  /** When each message first came, in milliseconds since 1970, by the URLs of a kind. */
  receivedBy: (kind: Kind) => ReadonlyMap<string, number>[];
  requests: () => number;
  stop: () => Promise<void>;
};

export async function startReceivers(): Promise<Receivers> {
  const received = new Map<string, Map<string, number>>();
  let requests = 0;
  const { url, stop } = await startHttpServer((request, answer) => {
    requests++;
    const path = request.url ?? "";
    const messageId = String(request.headers["webhook-id"]);
    request.resume();
    request.once("end", () => {
      const messages = received.get(path);
      if (messages && !messages.has(messageId)) messages.set(messageId, systemClock.now().epochMilliseconds);
      ANSWERS[kindOf(path)](answer);
    });
    request.once("error", () => undefined);
  });
  return {
    urlOf: (organizationId, kind, number) => {
      const path = `/${kind}/${number}/${organizationId}`;
      received.set(path, new Map());
      return url + path;
    },
    receivedBy: (kind) => [...received].filter(([path]) => kindOf(path) === kind).map(([, messages]) => messages),
    requests: () => requests,
    stop,
  };
}

const kindOf = (path: string): Kind => path.split("/")[1] as Kind;
