/** What others do. The harness must find each of these in a store that is right otherwise, or it is blind. */
import type { Charge } from "@tallystick/core/catalog";
import { type Decimal, decimal, ZERO } from "@tallystick/core/money";
import { type Bucket, numericValue, splitUsage, type UsageEvent, type UsageWindow } from "@tallystick/core/usage";

/** Where a store goes wrong; what is left out it does right. */
export type Mistake = {
  readonly name: string;
  /** The text that it keeps of a property. */
  readonly textOf?: (json: string, canonical: string) => string;
  readonly storesRepeats?: boolean;
  readonly readsPastCut?: boolean;
  readonly readsAllHistory?: boolean;
  readonly see?: (events: readonly UsageEvent[], window: UsageWindow) => readonly UsageEvent[];
  readonly split?: (charge: Charge, events: readonly UsageEvent[], window: UsageWindow) => Bucket[];
};

export const MISTAKES: readonly Mistake[] = [
  {
    name: "a window that includes its end",
    see: (events, { to }) =>
      events.map((event) => (event.at.equals(to) ? { ...event, at: to.subtract({ nanoseconds: 1 }) } : event)),
  },
  {
    name: "sums in floats",
    split: (charge, events, window) =>
      splitUsage(charge, events, window).map((bucket) => ({
        ...bucket,
        quantity: { ...bucket.quantity, units: asFloat(bucket.quantity.units) },
      })),
  },
  { name: "filters by lists of what to leave out", split: splitByExclusion },
  {
    name: "groups by the text that was sent",
    textOf: (json, canonical) => (json.startsWith('"') ? canonical : json),
  },
  { name: "a group for empty texts", textOf: (_, canonical) => (canonical === "" ? "(empty)" : canonical) },
  {
    name: "numbers by JavaScript's rules",
    textOf: (_, canonical) =>
      numericValue(canonical) === undefined && Number.isInteger(Number(canonical || "x")) ? "1000" : canonical,
  },
  { name: "a repeat counted again", storesRepeats: true },
  { name: "a snapshot that reads ignore", readsPastCut: true },
  { name: "the history of an earlier subscription", readsAllHistory: true },
  {
    name: "events of one instant in any order",
    see: (events) => events.map((event) => ({ ...event, position: -event.position })),
  },
];

function asFloat(units: Decimal): Decimal {
  const float = Number(units.toFixed());
  return Number.isFinite(float) ? decimal(String(float)) : ZERO;
}

/** A filter leaves out what one with more keys takes. Of two with as many keys both take what fits both. */
function splitByExclusion(charge: Charge, events: readonly UsageEvent[], window: UsageWindow): Bucket[] {
  const keysOf = ({ values }: Charge["filters"][number]) =>
    charge.metric.filters.filter(({ key }) => Object.hasOwn(values, key)).length;
  const taken = charge.filters.flatMap((filter) => {
    const narrower = charge.filters.filter((other) => keysOf(other) > keysOf(filter));
    const alone = { ...charge, filters: [filter, ...narrower] };
    return splitUsage(alone, events, window).filter((bucket) => bucket.filter === filter);
  });
  return [...taken, ...splitUsage(charge, events, window).filter(({ filter }) => filter === null)];
}
