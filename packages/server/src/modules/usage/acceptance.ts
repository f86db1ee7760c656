/** The order in which an organization's events were accepted, as one number: by the moment, then by shard and position. */

/** Positions order the events of one shard only; the moment orders those of several. */
export type Acceptance = {
  readonly receivedAt: Temporal.Instant;
  readonly shard: number;
  readonly position: bigint;
};

const SHARD_SHIFT = 56n;
const MOMENT_SHIFT = 72n;
const NANOSECONDS = 1000n;

/** A number that is greater the later an event was accepted; `fromOrder` reads it back. */
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

/** What had been accepted, as it is stored: at index n the last position of shard n. */
export const toCut = (stored: readonly string[] | null | undefined): readonly bigint[] | null =>
  stored?.map(BigInt) ?? null;

/** Whether an event had been accepted by then; none had where nothing is stored. */
export function isUpTo(stored: readonly string[] | null | undefined): (event: { position: bigint }) => boolean {
  const cut = toCut(stored);
  return ({ position: order }) => {
    const { shard, position } = fromOrder(order);
    return position <= (cut?.[shard] ?? 0n);
  };
}
