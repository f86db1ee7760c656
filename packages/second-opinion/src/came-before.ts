// Events at the very instant at which a plan changed: by the order of acceptance some of them came before it.

import type { EventCase } from "./recomputation-input.ts";

/** `accepted`: the last position of each shard when the instant's change was made; without it an event at the instant came after. */
export function cameBefore(
  { at, place }: EventCase,
  instant: string,
  accepted: readonly string[] | undefined,
): boolean {
  const order = Temporal.Instant.compare(Temporal.Instant.from(at), Temporal.Instant.from(instant));
  if (order !== 0 || accepted === undefined || place === undefined) return order < 0;
  return BigInt(place.position) <= BigInt(accepted[place.shard] ?? "0");
}

/** A window that ends just behind an instant. */
export const including = (instant: string): string => Temporal.Instant.from(instant).add({ nanoseconds: 1 }).toString();
