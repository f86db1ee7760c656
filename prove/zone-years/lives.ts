/** Who lives in the campaign: a customer in each zone, with subscriptions of four intervals and both billing times that begin at awkward moments. */
import { createRandomFor } from "../random.ts";
import { ALL_ZONES } from "../zones.ts";

/** Where the clock stands when everything is made: New Year in UTC, already past it in the east, not yet in the west. */
export const BEGINS = Temporal.Instant.from("2024-01-01T00:00:00Z");

/** Of every plan, for a whole period. */
export const PLAN_CENTS = 1000;

const INTERVALS = ["weekly", "monthly", "quarterly", "yearly"] as const;
const BILLING_TIMES = ["calendar", "anniversary"] as const;

export type Terms = {
  readonly interval: (typeof INTERVALS)[number];
  readonly isPaidInAdvance: boolean;
  /** Of a year only: its charges are billed by the month. */
  readonly areChargesMonthly: boolean;
};

export type Life = Terms & {
  readonly externalId: string;
  readonly timeZone: string;
  readonly billingTime: (typeof BILLING_TIMES)[number];
  /** null: at once. */
  readonly subscriptionAt: Temporal.Instant | null;
};

/** Who lives in the n-th zone. */
export type LivesIn = (timeZone: string, seed: number, number: number) => readonly Life[];
/** Everybody in some zones. */
export type Population = { readonly zones: readonly string[]; readonly livesIn: LivesIn };

const offsetOf = (timeZone: string): number => BEGINS.toZonedDateTimeISO(timeZone).offsetNanoseconds;

/** From west to east: neighbors on one clock have much due at the same instant, which is done in step. */
export const ZONES: readonly string[] = ALL_ZONES.toSorted((one, other) => offsetOf(one) - offsetOf(other));

export const planCode = ({ interval, isPaidInAdvance, areChargesMonthly }: Terms): string =>
  [interval, isPaidInAdvance ? "advance" : "arrears", ...(areChargesMonthly ? ["charges-monthly"] : [])].join("-");

export const allTerms: readonly Terms[] = INTERVALS.flatMap((interval) =>
  [true, false].flatMap((isPaidInAdvance) =>
    (interval === "yearly" ? [true, false] : [false]).map((areChargesMonthly) => ({
      interval,
      isPaidInAdvance,
      areChargesMonthly,
    })),
  ),
);

/** Every interval and both billing times, the same for the same seed. */
export const allLivesIn: LivesIn = (timeZone, seed, number) => {
  const random = createRandomFor(seed, number);
  return INTERVALS.flatMap((interval) =>
    BILLING_TIMES.map((billingTime) => ({
      externalId: `${timeZone} ${interval} ${billingTime}`,
      timeZone,
      interval,
      billingTime,
      isPaidInAdvance: random() < 0.5,
      areChargesMonthly: interval === "yearly" && random() < 0.5,
      subscriptionAt: chooseStart(timeZone, random),
    })),
  );
};

/** One by the week and one by the month: where one goes by the calendar, the other goes by its anniversary. */
export const weekAndMonthIn: LivesIn = (timeZone, seed, number) => {
  const ofWeek = BILLING_TIMES[number % 2];
  return allLivesIn(timeZone, seed, number).filter(
    ({ interval, billingTime }) =>
      (interval === "weekly" && billingTime === ofWeek) || (interval === "monthly" && billingTime !== ofWeek),
  );
};

const PAST_DAYS = ["2020-02-29", "2022-12-31", "2023-08-31", "2023-10-30"];
const COMING_DAYS = ["2024-01-29", "2024-01-30", "2024-01-31", "2024-02-29", "2024-03-31"];

function chooseStart(timeZone: string, random: () => number): Temporal.Instant | null {
  const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const kind = oneOf(["now", "past", "coming", "any"]);
  const someDay = Temporal.PlainDate.from("2024-01-03").add({ days: Math.floor(random() * 120) });
  const someSecond = new Temporal.PlainTime().add({ seconds: Math.floor(random() * 86_400) });
  const time = oneOf([new Temporal.PlainTime(), Temporal.PlainTime.from("23:59:59"), someSecond]);
  if (kind === "now") return null;
  const day = kind === "any" ? someDay : Temporal.PlainDate.from(oneOf(kind === "past" ? PAST_DAYS : COMING_DAYS));
  return day.toZonedDateTime({ timeZone, plainTime: time }).toInstant();
}
