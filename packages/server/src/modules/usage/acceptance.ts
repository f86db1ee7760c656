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
