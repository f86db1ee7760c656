/** Events of several requests as columns, in the form that the statement takes. */
import {
  booleanArray,
  byteaArray,
  jsonbArray,
  numericArray,
  smallintArray,
  textArray,
  timestamptzArray,
  uuidArray,
} from "../../../platform/postgres/binary-arrays.ts";
import { digestEvent } from "./digest-event.ts";
import { microsecondsOf } from "./event-timestamp.ts";
import type { ReadEvent } from "./read-events.ts";

export type EventColumns = ReturnType<typeof toColumns>;

/** Parameters of a group: its organization, its time of receipt, and the event ids, 16 bytes each. */
type Input = { organizationId: string; receivedAt: Temporal.Instant; ids: Buffer };

export function toColumns(requests: readonly (readonly ReadEvent[])[], { organizationId, receivedAt, ids }: Input) {
  const now = microsecondsOf(receivedAt);
  const events = requests.flat();
  const timestamps = events.map(({ timestamp }) => timestamp ?? now);
  const digests = events.map((event, index) => digestEvent(organizationId, event, timestamps[index] ?? now));
  return {
    receivedAt,
    requests: smallintArray(requests.flatMap(({ length }, index) => new Array<number>(length).fill(index))),
    ids: uuidArray(ids),
    subscriptions: textArray(events.map(({ externalSubscriptionId }) => externalSubscriptionId)),
    transactions: textArray(events.map(({ transactionId }) => transactionId)),
    bodyDigests: byteaArray(toBytes(events.map(({ bodyDigest }) => bodyDigest))),
    codes: textArray(events.map(({ code }) => code)),
    timestamps: timestamptzArray(timestamps),
    areTimed: booleanArray(events.map(({ isTimed }) => isTimed)),
    digests: numericArray(toBytes(digests)),
    properties: jsonbArray(events.map(({ properties }) => properties.json)),
    canonicals: jsonbArray(events.map(({ properties }) => properties.canonicalJson)),
  };
}

function toBytes(digests: readonly string[]): Buffer {
  return Buffer.from(digests.join(""), "hex");
}
