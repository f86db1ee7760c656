/** The order in which an organization's events were accepted, as one number: by instant of receipt, then by shard and position. */

/** Positions order the events of one shard only; the instant of receipt orders those of several. */
export type Acceptance = {
  readonly receivedAt: Temporal.Instant;
  readonly shard: number;
  readonly position: bigint;
};

const SHARD_SHIFT = 56n;
const MOMENT_SHIFT = 72n;
const NANOSECONDS = 1000n;

/** A number that grows in the order of acceptance; `fromOrder` reverses it. */
export function toOrder({ receivedAt, shard, position }: Acceptance): bigint {
  const moment = receivedAt.epochNanoseconds / NANOSECONDS;
  return (moment << MOMENT_SHIFT) | (BigInt(shard) << SHARD_SHIFT) | position;
}

export function fromOrder(order: bigint): Acceptance {
  return {
    receivedAt: Temporal.Instant.fromEpochNanoseconds((order >> MOMENT_SHIFT) * NANOSECONDS),
    shard: Number(BigInt.asUintN(16, order >> SHARD_SHIFT)),
    position: BigInt.asUintN(56, order),
  };
}

/** A stored snapshot: at index n the last accepted position of shard n. */
export const toCut = (stored: readonly string[] | null | undefined): readonly bigint[] | null =>
  stored?.map(BigInt) ?? null;

/** Whether an event is in the stored snapshot; false for all events if none is stored. */
export function isUpTo(stored: readonly string[] | null | undefined): (event: { position: bigint }) => boolean {
  const cut = toCut(stored);
  return ({ position: order }) => {
    const { shard, position } = fromOrder(order);
    return position <= (cut?.[shard] ?? 0n);
  };
}
