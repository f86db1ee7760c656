/** Moments in relation to now, so that random commands often meet midnights and the instants at which something is due. */
import fc from "fast-check";
import { addDays, addLocalDays, addLocalMonths, addSeconds, dayAt, type Instant, midnight } from "./calendar.ts";

export type Moment =
  | { readonly kind: "hours" | "days" | "months" | "midnight"; readonly count: number }
  | { readonly kind: "due"; readonly pick: number; readonly nudge: number };

type Where = { now: Instant; zone: string /** Instants to come, sorted. */; dues: readonly Instant[] };

/** Whole hours and days; a due instant, or a second beside it. */
export function resolve(moment: Moment, { now, zone, dues }: Where): Instant {
  switch (moment.kind) {
    case "hours":
      return addSeconds(now, moment.count * 3600);
    case "days":
      return addLocalDays(now, moment.count, zone);
    case "months":
      return addLocalMonths(now, moment.count, zone);
    case "midnight":
      return midnight(addDays(dayAt(now, zone), moment.count), zone);
    case "due": {
      const due = dues[moment.pick % Math.max(1, dues.length)];
      return addSeconds(due ?? addLocalDays(now, 1, zone), moment.nudge);
    }
  }
}

const of = (kind: "hours" | "days" | "months" | "midnight", min: number, max: number): fc.Arbitrary<Moment> =>
  fc.integer({ min, max }).map((count) => ({ kind, count }));

const due: fc.Arbitrary<Moment> = fc.record({
  kind: fc.constant("due"),
  pick: fc.nat(5),
  nudge: fc.constantFrom(0, 0, 0, -1, 1),
});

/** How far a clock goes in one step. */
export const stepForward: fc.Arbitrary<Moment> = fc.oneof(
  { weight: 6, arbitrary: due },
  { weight: 2, arbitrary: of("hours", 1, 30) },
  { weight: 3, arbitrary: of("days", 1, 40) },
  { weight: 1, arbitrary: of("midnight", 1, 20) },
  { weight: 1, arbitrary: of("months", 1, 5) },
);

/** Today, some days or months ago, some days to come. */
export const start: fc.Arbitrary<Moment> = fc.oneof(
  { weight: 2, arbitrary: of("hours", -12, 12) },
  { weight: 2, arbitrary: of("days", -40, -1) },
  { weight: 1, arbitrary: of("months", -14, -1) },
  { weight: 3, arbitrary: of("days", 1, 20) },
  { weight: 2, arbitrary: of("midnight", -3, 10) },
  { weight: 1, arbitrary: due },
);

/** Mostly to come; exactly where a period ends often. */
export const ending: fc.Arbitrary<Moment> = fc.oneof(
  { weight: 3, arbitrary: of("days", 1, 60) },
  { weight: 2, arbitrary: of("midnight", 1, 60) },
  { weight: 3, arbitrary: due },
  { weight: 1, arbitrary: of("months", 1, 4) },
  { weight: 1, arbitrary: of("hours", -12, 24) },
);
