/** What others do: floats, a closed window, a rule misread. The harness must find each of these, or it is blind. */
import { cases } from "../oracle/cases.ts";
import { oracleAggregate, oracleCustomer, oraclePrice, oracleSubscriptionFee } from "../oracle/index.ts";
import { type Comparison, comparison } from "./comparison.ts";
import { customerByCore } from "./customer-by-core.ts";
import { MISREADINGS } from "./misreadings.ts";
import { NAIVE_PERIODS } from "./periods.ts";

export const NAIVE_COMPARISONS: readonly Comparison[] = [
  comparison(
    "a price in floats",
    cases.priceOf("standard"),
    ({ properties, units, digits }) =>
      BigInt(Math.round(Number(properties.amount) * Math.max(0, Number(units)) * 10 ** digits)),
    (given) => oraclePrice(given).cents,
  ),
  comparison(
    "a day price in floats",
    cases.subscriptionFee,
    ({ cents, days, periodDays }) => BigInt(Math.round((Number(cents) / periodDays) * days)),
    oracleSubscriptionFee,
  ),
  comparison(
    "a flat amount for no usage",
    cases.priceOf("volume"),
    (given) => (Number(given.units) <= 0 ? BigInt(Math.round(flatOf(given))) : oraclePrice(given).cents),
    (given) => oraclePrice(given).cents,
  ),
  comparison(
    "a window that includes its end",
    cases.aggregateOf({ type: "count", recurring: false }),
    ({ events, from, to }) => events.filter(({ at }) => isBetween(from, at, to)).length,
    (given) => oracleAggregate(given).eventsCount,
  ),
  ...NAIVE_PERIODS,
  ...MISREADINGS.map(([name, rules]) =>
    comparison(name, cases.customerLife, customerByCore, (given) => oracleCustomer(given, rules)),
  ),
];

const flatOf = ({
  properties,
  digits,
}: {
  properties: { volume_ranges?: { flat_amount?: string }[] };
  digits: number;
}) => Number(properties.volume_ranges?.[0]?.flat_amount ?? 0) * 10 ** digits;

function isBetween(from: string, at: string, to: string): boolean {
  const [start, instant, end] = [from, at, to].map((text) => Temporal.Instant.from(text).epochNanoseconds);
  return start !== undefined && instant !== undefined && end !== undefined && start <= instant && instant <= end;
}
