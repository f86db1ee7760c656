/** Random charges, windows and events, more extreme than real ones, on which an event store must agree with core. */
import {
  type Aggregation,
  ALL_FILTER_VALUES,
  type Charge,
  type ChargeFilter,
  type Metric,
  type Price,
  type Pricing,
  type Tier,
} from "@tallystick/core/catalog";
import { decimal, minor } from "@tallystick/core/money";
import { countDays, dayOf, startOfDay } from "@tallystick/core/time";
import type { UsageWindow } from "@tallystick/core/usage";
import fc from "fast-check";

/** An event as it is sent. Its properties are JSON as a client wrote it. */
export type SentEvent = {
  readonly transactionId: string;
  readonly code: string;
  readonly at: Temporal.Instant;
  readonly properties: readonly (readonly [name: string, json: string])[];
  readonly digest: bigint;
};

export type UsageCase = {
  readonly charges: readonly Charge[];
  readonly window: UsageWindow;
  readonly historyFrom: Temporal.Instant;
  /** In order of acceptance, each through one ingestion queue. Some events are repeated in a later batch. */
  readonly batches: readonly { readonly lane: number; readonly events: readonly SentEvent[] }[];
  /** A snapshot is taken after this many batches. */
  readonly cutAfter: number;
};

const FIELDS = ["v", "v", "v", "constructor", "__proto__", "o'clock $1", "größe"];
const KEYS = ["region", "tier", "k\"e'y"];
const GROUPS = ["user", "team", "region", "toString"];
const KEY_VALUES = ["us", "eu", "1", "true", "gold"];
const CODES = ["calls", "seats", "c'o\"de;--"];
const MICROSECOND = 1000n;
const DAY = 86_400_000_000_000n;

const oneOf = <T>(...items: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...items);
const weighted = <T>(...choices: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<T>])[]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const aggregation = (field: string): fc.Arbitrary<Aggregation> =>
  oneOf<Aggregation>(
    { type: "count" },
    { type: "sum", field, isRecurring: false },
    { type: "sum", field, isRecurring: true },
    { type: "max", field },
    { type: "latest", field },
    { type: "unique_count", field, isRecurring: false },
    { type: "unique_count", field, isRecurring: true },
    { type: "weighted_sum", field, isRecurring: false },
    { type: "weighted_sum", field, isRecurring: true },
  );

const metricOf = (code: string): fc.Arbitrary<Metric> =>
  fc.record({
    code: fc.constant(code),
    aggregation: oneOf(...FIELDS).chain(aggregation),
    filters: fc
      .subarray(KEYS)
      .chain((keys) =>
        fc.tuple(...keys.map((key) => fc.subarray(KEY_VALUES, { minLength: 1 }).map((values) => ({ key, values })))),
      ),
  });

const tiers: readonly Tier[] = [
  { from: 0n, to: 3n, perUnit: decimal("2"), flat: decimal("1") },
  { from: 4n, to: 10n, perUnit: decimal("0.5"), flat: decimal("0") },
  { from: 11n, to: null, perUnit: decimal("0.1"), flat: decimal("7") },
];
const amount = decimal("0.31");
const standard: Pricing = { model: "standard", amount };
const graduated: Pricing = { model: "graduated", tiers };
const volume: Pricing = { model: "volume", tiers };

const percentage: fc.Arbitrary<Pricing> = fc.record({
  model: fc.constant("percentage" as const),
  rate: oneOf(decimal("1.3"), decimal("0")),
  fixedAmount: oneOf(decimal("0"), decimal("2")),
  freeEvents: oneOf(null, 1n, 3n),
  freeUnits: oneOf(null, decimal("0"), decimal("12.5")),
  perTransactionMin: oneOf(null, null, decimal("1.75")),
  perTransactionMax: oneOf(null, null, decimal("12")),
});

/** All prices of a charge use one model. */
function pricing(isProrated: boolean): fc.Arbitrary<Pricing> {
  if (isProrated) return oneOf(standard, graduated, volume);
  const packages: Pricing = { model: "package", amount, freeUnits: 1n, packageSize: 4n };
  const share: Pricing = {
    model: "graduated_percentage",
    tiers: [{ from: 0n, to: null, rate: amount, flat: amount }],
  };
  return weighted([3, oneOf(standard, graduated, volume, packages, share)], [2, percentage]);
}

const groupedBy = weighted([2, fc.constant<string[]>([])], [3, fc.subarray(GROUPS, { maxLength: 2 })]);

const priceOf = (pricing: Pricing): fc.Arbitrary<Price> => fc.record({ pricing: fc.constant(pricing), groupedBy });

function filtersOf(metric: Metric, pricing: Pricing): fc.Arbitrary<ChargeFilter[]> {
  const lists = metric.filters.map(({ key, values }) =>
    weighted([4, fc.subarray([...values], { minLength: 1 })], [1, fc.constant<string[]>([ALL_FILTER_VALUES])]).map(
      (list) => [key, list] as const,
    ),
  );
  if (lists.length === 0) return fc.constant([]);
  const values = fc
    .tuple(
      fc.subarray(lists, { minLength: 1 }).chain((chosen) => fc.tuple(...chosen)),
      fc.nat(9),
    )
    .map(([entries, stray]) => Object.fromEntries(stray === 0 ? [...entries, ["unknown", ["us"]]] : entries));
  return fc
    .array(fc.record({ values, price: priceOf(pricing) }), { maxLength: 5 })
    .map((filters) => filters.map((filter, index) => ({ id: `filter ${index}`, ...filter })));
}

const chargeOn = (metric: Metric): fc.Arbitrary<Charge> => {
  const { aggregation } = metric;
  const mayBeProrated = (aggregation.type === "sum" || aggregation.type === "unique_count") && aggregation.isRecurring;
  return fc
    .boolean()
    .map((request) => request && mayBeProrated)
    .chain((isProrated) => pricing(isProrated).map((pricing) => ({ isProrated, pricing })))
    .chain(({ isProrated, pricing }) =>
      fc.record({
        id: fc.uuid(),
        metric: fc.constant(metric),
        price: priceOf(pricing),
        filters: filtersOf(metric, pricing),
        timing: fc.constant({ type: "arrears" as const, minAmountMinor: minor(0n) }),
        isProrated: fc.constant(isProrated),
      }),
    );
};

/** Several charges, some of them on one metric. */
const charges: fc.Arbitrary<Charge[]> = fc
  .subarray(CODES, { minLength: 1 })
  .chain((codes) => fc.tuple(...codes.map(metricOf)))
  .chain((metrics) => fc.array(oneOf(...metrics).chain(chargeOn), { minLength: 1, maxLength: 4 }));

const instantOf = (nanoseconds: bigint): Temporal.Instant => Temporal.Instant.fromEpochNanoseconds(nanoseconds);

/** Whole local days, or any microseconds of a day; sometimes the last day belongs to the following plan. */
const window: fc.Arbitrary<UsageWindow> = fc
  .record({
    timeZone: oneOf("UTC", "Europe/Paris", "America/New_York", "Pacific/Apia", "Asia/Kathmandu", "Africa/Cairo"),
    firstDay: oneOf("2024-03-01", "2024-10-20", "2023-12-31", "2024-02-29", "2011-12-25"),
    days: oneOf(1, 7, 28, 31, 92),
    late: oneOf(0n, 0n, 1n, 43_200_000_001n),
    early: oneOf(0n, 0n, 1n, 43_200_000_000n),
    isUpgraded: fc.boolean(),
  })
  .map(({ timeZone, days, late, early, isUpgraded, ...input }) => {
    const firstDay = Temporal.PlainDate.from(input.firstDay);
    const from = instantOf(startOfDay(firstDay, timeZone).epochNanoseconds + late * MICROSECOND);
    const end = startOfDay(firstDay.add({ days }), timeZone).epochNanoseconds - early * MICROSECOND;
    const to = instantOf(end > from.epochNanoseconds ? end : from.epochNanoseconds + MICROSECOND);
    const lastDay = dayOf(instantOf(to.epochNanoseconds - MICROSECOND), timeZone);
    return {
      from,
      to,
      timeZone,
      firstDay,
      lastDay: isUpgraded && days > 1 ? lastDay.subtract({ days: 1 }) : lastDay,
      periodDays: countDays(firstDay, firstDay.add({ days: days - 1 })),
    };
  });

/** At an edge, a microsecond next to it, or anywhere from long before to a little after. */
function instantsAround({ from, to, firstDay, timeZone }: UsageWindow, historyFrom: Temporal.Instant) {
  const marks = [from, to, historyFrom, ...[1, 2].map((days) => startOfDay(firstDay.add({ days }), timeZone))];
  const edge = fc
    .tuple(oneOf(...marks), oneOf(-MICROSECOND, 0n, 0n, MICROSECOND))
    .map(([mark, step]) => mark.epochNanoseconds + step);
  const within = (start: bigint, end: bigint) =>
    fc.bigInt({ min: start / MICROSECOND, max: end / MICROSECOND }).map((micro) => micro * MICROSECOND);
  const inside = within(from.epochNanoseconds, to.epochNanoseconds);
  const early = within(historyFrom.epochNanoseconds - 20n * DAY, from.epochNanoseconds);
  const anywhere = within(historyFrom.epochNanoseconds - 20n * DAY, to.epochNanoseconds + DAY);
  return weighted([3, edge], [4, inside], [2, early], [1, anywhere]).map(instantOf);
}

const LONG = "9".repeat(2000);
/** At the limits of a number, and beyond: rare, because they are slow to compute with. */
const FAR = ["1e999", "-1e999", "1e-1000", `${"7".repeat(1000)}.${"3".repeat(1000)}`];
const LONG_TEXTS = [`"${LONG}"`, `"-${LONG}9.9"`, `"${LONG}.999"`];
const NO_NUMBERS = ["1e3", "12,5", "+5", " 7", "7 ", "5\n", "5.", ".5", "-", "0x10", "NaN", "٣", "１"];

const numberJson = weighted(
  [
    24,
    oneOf("1", "2", "5", "-2", "7.5", "0.1", "12.50", "-0", "0", "1.0", "1e3", "2E-3", "-1.5e1", "9007199254740993"),
  ],
  [8, fc.tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.nat(30)).map(([n, scale]) => `${n}e-${scale}`)],
  [14, oneOf('"3"', '"7.5"', '"-4"', '"007"', '"1.50"', '"-0"')],
  [1, oneOf(...FAR, ...LONG_TEXTS)],
  [8, oneOf(...NO_NUMBERS).map((text) => JSON.stringify(text))],
  [6, oneOf("true", "null", "[1]", "{}", '""', '"\\u0001"')],
);

/** Few different texts, written in many ways. */
const textJson = oneOf(
  ...['"us"', '"eu"', '"gold"', '"1"', "1", "1.0", "1e0", '"1.0"', "true", '"true"', '"mars"', '""', "null", "[]"],
  ...['"us"', '"eu"', '{"b":1,"a":2}', '{ "a": 2.0, "b" : 1 }', '"é\\u0301\\ud83d\\ude00"', '"US"', '" us"', "false"],
);

/** Even fewer, so that values are added, removed and added again. */
const uniqueJson = oneOf('"a"', '"a"', '"b"', "1", "1.0", '""', "null", '{"b":1,"a":2}', '{ "a": 2.0, "b" : 1 }');

const operationJson = weighted(
  [5, oneOf('"add"')],
  [5, oneOf('"remove"')],
  [3, oneOf('"Add"', '""', "null", "1", '["remove"]')],
);

const presence = (name: string, json: fc.Arbitrary<string>): fc.Arbitrary<(readonly [string, string])[]> =>
  weighted([8, json.map((text) => [[name, text] as const])], [1, fc.constant([])]);

function propertiesFor(charges: readonly Charge[], hasRemovals: boolean): fc.Arbitrary<SentEvent["properties"]> {
  const metrics = charges.map(({ metric }) => metric);
  const fields = new Map(
    metrics.flatMap(({ aggregation }) =>
      aggregation.type === "count"
        ? []
        : [[aggregation.field, aggregation.type === "unique_count" ? uniqueJson : numberJson] as const],
    ),
  );
  const names = new Set([...KEYS, ...GROUPS].filter((name) => !fields.has(name)));
  return fc
    .tuple(
      ...[...fields].map(([name, json]) => presence(name, json)),
      ...[...names].map((name) => presence(name, textJson)),
      hasRemovals ? presence("operation_type", operationJson) : fc.constant([]),
      presence("unrelated", numberJson),
    )
    .map((parts) => parts.flat());
}

type Draft = Omit<UsageCase, "batches" | "cutAfter">;

function eventsFor({ charges, window, historyFrom }: Draft): fc.Arbitrary<SentEvent[]> {
  const codes = charges.map(({ metric }) => metric.code);
  return fc
    .tuple(
      fc.boolean(),
      oneOf(2, 12).chain((maxLength) => fc.array(instantsAround(window, historyFrom), { minLength: 1, maxLength })),
    )
    .chain(([hasRemovals, instants]) =>
      fc.array(
        fc.record({
          code: weighted([9, oneOf(...codes)], [1, oneOf(...CODES, "other")]),
          // From a list, so that many share an instant.
          at: oneOf(...instants),
          properties: propertiesFor(charges, hasRemovals),
          digest: fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }),
        }),
        { maxLength: 32, size: "max" },
      ),
    )
    .map((events) => events.map((event, index) => ({ transactionId: `t${index}`, ...event })));
}

/** Batches, each of one ingestion queue. A batch may begin with repeated events of earlier batches. */
function batchesOf(events: readonly SentEvent[]): fc.Arbitrary<UsageCase["batches"]> {
  return fc
    .array(fc.record({ lane: fc.nat(3), size: fc.integer({ min: 1, max: 20 }), repeated: fc.nat(3) }), {
      minLength: 1,
      maxLength: 4,
    })
    .map((plan) => {
      let sent = 0;
      return plan.map(({ lane, size, repeated }, index) => {
        const end = index === plan.length - 1 ? events.length : sent + size;
        const batch = { lane, events: [...events.slice(0, Math.min(repeated, sent)), ...events.slice(sent, end)] };
        sent = Math.min(end, events.length);
        return batch;
      });
    });
}

export const usageCase: fc.Arbitrary<UsageCase> = fc
  .record({ charges, window, history: oneOf(0n, 0n, 1n, 40n, 400n) })
  .map(({ history, ...options }): Draft => {
    const historyFrom = instantOf(options.window.from.epochNanoseconds - history * DAY);
    return { ...options, historyFrom };
  })
  .chain((draft) =>
    eventsFor(draft)
      .chain(batchesOf)
      .chain((batches) => fc.nat(batches.length).map((cutAfter) => ({ ...draft, batches, cutAfter }))),
  );
