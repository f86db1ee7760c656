// Events at the exact instant of a plan change: by their order of acceptance, some came before the change.

import type { EventCase } from "./recomputation-input.ts";

/** `accepted`: the last position of each shard when the change was made. Without it, an event at the instant came after. */
export function cameBefore(
  { at, place }: EventCase,
  instant: string,
  accepted: readonly string[] | undefined,
): boolean {
  const order = Temporal.Instant.compare(Temporal.Instant.from(at), Temporal.Instant.from(instant));
  if (order !== 0 || accepted === undefined || place === undefined) return order < 0;
  return BigInt(place.position) <= BigInt(accepted[place.shard] ?? "0");
}

/** A window that ends just after an instant. */
export const including = (instant: string): string => Temporal.Instant.from(instant).add({ nanoseconds: 1 }).toString();
