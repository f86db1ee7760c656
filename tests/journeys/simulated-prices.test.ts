/**
 * What the plan editor shows while someone types is what the service bills: random plans, priced by both. CI takes 150 of them;
 * `SIMULATED_PLANS=1000 npm test -- tests/journeys/simulated-prices.test.ts` takes a minute and a half.
 */
import type { BillableMetric, EventCreate } from "@tallystick/client";
import { CHARGE_MODELS } from "@tallystick/core/catalog";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type DraftCharge,
  type DraftPlan,
  type DraftPrice,
  type DraftTier,
  EMPTY_PLAN,
  EMPTY_PRICE,
  INTERVALS,
  membersOf,
} from "../../packages/console/src/slices/plans/draft.ts";
import { metricsById, readDraft } from "../../packages/console/src/slices/plans/read-draft.ts";
import { simulate, type Used, valuesOf } from "../../packages/console/src/slices/plans/simulate.ts";
import { startTallystick } from "../../packages/server/src/testing/start-tallystick.ts";

const PLANS = Number(process.env.SIMULATED_PLANS ?? 150);
/** Subscriptions of one customer are billed together, so that one preview shows what all of them cost. */
const BATCH = 50;
/** A Monday, and the first day of a month, quarter, half year and year. */
const START = "2029-01-01T00:00:00Z";
const SEED = Math.floor(Math.random() * 2 ** 31);

const service = await startTallystick({ organizations: 1 });

async function post(path: string, body: object) {
  const answer = await service.call("POST", path, body);
  expect(answer.status, `${path} ${answer.text} seed ${SEED}`).toBe(200);
  return answer.body;
}

const filters = [{ key: "region", values: ["eu", "us"] }];
const METRICS = [
  { aggregation_type: "sum_agg", field_name: "v", filters },
  { aggregation_type: "sum_agg", field_name: "v", recurring: true },
  { aggregation_type: "max_agg", field_name: "v", filters },
] as const;
const metrics: BillableMetric[] = [];
for (const [index, members] of METRICS.entries()) {
  const code = `metric${index}`;
  metrics.push(
    (await post("/billable_metrics", { billable_metric: { name: code, code, ...members } })).billable_metric,
  );
}
const known = metricsById(metrics);

const decimals = (most: number, places: number) =>
  fc
    .tuple(fc.nat({ max: most }), fc.string({ unit: fc.constantFrom(..."0123456789"), maxLength: places }))
    .map(([whole, part]) => (part ? `${whole}.${part}` : String(whole)));
const price = decimals(20, 8);
const small = decimals(3, 4);
const maybe = (text: fc.Arbitrary<string>) => fc.oneof(fc.constant(""), text);

const tiers = fc
  .array(
    fc.record({ width: fc.integer({ min: 2, max: 400 }), each: price, flat: maybe(small).map((text) => text || "0") }),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((list): DraftTier[] => {
    let end = 0;
    return list.map(({ width, each, flat }, index) => {
      end += width;
      return { each, flat, to: index === list.length - 1 ? "" : String(end) };
    });
  });

const prices: fc.Arbitrary<DraftPrice> = fc
  .record({
    amount: price,
    rate: small,
    tiers,
    freeUnits: fc.nat({ max: 300 }).map(String),
    packageSize: fc.integer({ min: 1, max: 200 }).map(String),
    fixedAmount: maybe(small),
    freeEvents: maybe(fc.integer({ min: 1, max: 4 }).map(String)),
    freeTotal: maybe(decimals(300, 2)),
    limit: fc.constantFrom("none", "least", "most"),
    bound: small,
  })
  .map(({ limit, bound, ...own }) => ({
    ...EMPTY_PRICE,
    ...own,
    leastPerEvent: limit === "least" ? bound : "",
    mostPerEvent: limit === "most" ? bound : "",
  }));

let made = 0;
const key = () => `key ${++made}`;

const charges: fc.Arbitrary<DraftCharge> = fc
  .record({
    metric: fc.nat({ max: METRICS.length - 1 }),
    model: fc.constantFrom(...CHARGE_MODELS),
    price: prices,
    minimum: maybe(fc.nat({ max: 900_00 }).map(String)),
    wantsProration: fc.boolean(),
    isAtOnce: fc.nat({ max: 4 }).map((number) => number === 0),
    filtered: fc.option(fc.record({ region: fc.constantFrom("eu", "us"), price: prices })),
  })
  .map(({ metric, model, price: own, minimum, wantsProration, isAtOnce, filtered }) => {
    const mayBeAtOnce = model !== "volume" && metric === 0;
    const mayBeProrated = metric === 1 && ["standard", "graduated", "volume"].includes(model);
    const timing = isAtOnce && mayBeAtOnce ? "each" : "arrears";
    return {
      key: key(),
      isStored: false,
      metricId: metrics[metric]?.svc_id ?? "",
      name: "",
      model,
      timing,
      isProrated: wantsProration && mayBeProrated,
      minimum: timing === "arrears" ? minimum : "",
      taxes: [],
      price: own,
      filters:
        filtered && metric !== 1
          ? [{ key: key(), name: "", values: { region: [filtered.region] }, price: filtered.price }]
          : [],
    };
  });

type Case = { draft: DraftPlan; used: ReadonlyMap<string, Used> };

/** Events have the value of all of it for a maximum, which has no sum. */
const cases = (shared: Pick<DraftPlan, "interval" | "currency">): fc.Arbitrary<Case> =>
  fc
    .record({
      amount: fc.nat({ max: 500 }).map(String),
      isPaidInAdvance: fc.boolean(),
      commitment: maybe(fc.integer({ min: 1, max: 3000 }).map(String)),
      charges: fc.array(charges, { minLength: 1, maxLength: 3 }),
      used: fc.array(fc.record({ units: decimals(900, 3), events: fc.nat({ max: 5 }).map(String) }), {
        minLength: 6,
        maxLength: 6,
      }),
    })
    .map(({ used, ...own }) => {
      const draft = { ...EMPTY_PLAN, ...shared, ...own };
      const keys = draft.charges.flatMap((charge) => [charge, ...charge.filters]).map((one) => one.key);
      return { draft, used: new Map(keys.map((one, index) => [one, usedIn(draft, one, used[index])])) };
    });

const NOTHING: Used = { units: "0", events: "0" };

function usedIn(draft: DraftPlan, key: string, used: Used = NOTHING): Used {
  const charge = draft.charges.find((one) => one.key === key || one.filters.some((filter) => filter.key === key));
  if (used.events === "0" || used.units === "0") return NOTHING;
  // One event is what the service estimates, and what a maximum is.
  const isSingle = charge?.timing === "each" || charge?.metricId === metrics[2]?.svc_id;
  return isSingle ? { ...used, events: "1" } : used;
}

const usedAt =
  ({ draft, used }: Case, counts: (charge: DraftCharge) => boolean) =>
  (charge: number, filter: number | null): Used[] => {
    const own = draft.charges[charge];
    const key = filter === null ? own?.key : own?.filters[filter]?.key;
    return [(own && counts(own) && used.get(key ?? "")) || NOTHING];
  };

type Sent = { one: Case; charge: number; filter: number | null; events: EventCreate[] };

/** What is sent for each price of a plan that is used. */
function usageOf(one: Case, external: string): Sent[] {
  const sent = (charge: number, filter: number | null, key: string, region: string): Sent => {
    const used = one.used.get(key) ?? NOTHING;
    const code = metrics.find(({ svc_id }) => svc_id === one.draft.charges[charge]?.metricId)?.code ?? "";
    const values = used.events === "0" ? [] : valuesOf(used);
    const events = values.map((value, index) => ({
      transaction_id: `${external} ${key} ${index}`,
      external_subscription_id: external,
      code,
      timestamp: START,
      properties: { v: value.toFixed(), region },
    }));
    return { one, charge, filter, events };
  };
  return one.draft.charges.flatMap(({ key, filters }, index) => [
    sent(index, null, key, "none"),
    ...filters.map((filter, place) => sent(index, place, filter.key, filter.values.region?.[0] ?? "")),
  ]);
}

const CURRENCIES = ["EUR", "JPY", "BHD", "USD"];
/** An event counts for every charge on its metric. */
const hasEachMetricOnce = ({ draft }: Case) =>
  new Set(draft.charges.map(({ metricId }) => metricId)).size === draft.charges.length;

type Fee = { external_subscription_id: string; amount_cents: number };
const isAtOnce = ({ timing }: DraftCharge) => timing === "each";

async function subscribeAll(customer: string, shared: Pick<DraftPlan, "currency">, sampled: readonly Case[]) {
  const { test_clock: clock } = await post("/test_clocks", { test_clock: { now: START } });
  const on = { timezone: "UTC", test_clock_id: clock.svc_id };
  await post("/customers", { customer: { external_id: customer, currency: shared.currency, ...on } });
  for (const { draft } of sampled) {
    const { code } = draft;
    await post("/plans", { plan: membersOf(draft) });
    const subscription = { external_customer_id: customer, external_id: code, plan_code: code };
    await post("/subscriptions", { subscription });
  }
  await service.drain();
}

function simulated(one: Case, counts: (charge: DraftCharge) => boolean) {
  const { plan, faults } = readDraft(one.draft, known);
  expect(faults, said(one)).toEqual({});
  if (!plan) throw new Error("a plan without faults can be priced");
  return simulate(plan, usedAt(one, counts));
}

const said = ({ draft, used }: Case): string => `seed ${SEED}: ${JSON.stringify([draft, [...used]])}`;

type Compared = { totals: number; atOnce: number };

async function compareBatch(batch: number, compared: Compared): Promise<void> {
  const shared = {
    interval: INTERVALS[batch % INTERVALS.length] ?? "monthly",
    currency: CURRENCIES[batch % CURRENCIES.length] ?? "EUR",
  };
  const sampled = fc
    .sample(cases(shared).filter(hasEachMetricOnce), { numRuns: BATCH, seed: SEED + batch })
    .map((one, index) => ({ ...one, draft: { ...one.draft, name: "Plan", code: `b${batch}-${index}` } }));
  await subscribeAll(`b${batch}`, shared, sampled);
  const usage = sampled.flatMap((one) => usageOf(one, one.draft.code));
  const isSentAtOnce = ({ one, charge }: Sent) => one.draft.charges.slice(charge, charge + 1).some(isAtOnce);
  const events = usage.filter((sent) => !isSentAtOnce(sent)).flatMap((sent) => sent.events);
  for (let at = 0; at < events.length; at += 100) await post("/events/batch", { events: events.slice(at, at + 100) });

  const { invoice } = await post("/invoices/preview", { invoice: { external_subscription_id: `b${batch}-0` } });
  const billed = Map.groupBy(invoice.fees as Fee[], (fee) => fee.external_subscription_id);
  for (const one of sampled) {
    const total = (billed.get(one.draft.code) ?? []).reduce((sum, fee) => sum + fee.amount_cents, 0);
    const { totalMinor } = simulated(one, (charge) => !isAtOnce(charge));
    expect(Number(totalMinor), said(one)).toBe(total);
    compared.totals++;
  }
  for (const { one, charge, filter, events } of usage.filter(isSentAtOnce)) {
    if (events.length === 0) continue;
    const { fees } = await post("/events/estimate_fees", { event: events[0] });
    const own = simulated(one, isAtOnce).prices.find((price) => price.charge === charge && price.filter === filter);
    expect(Number(own?.amountMinor), said(one)).toBe(fees[0]?.amount_cents);
    compared.atOnce++;
  }
}

test("a simulated total is what the next invoice says, and a fee at once what the service estimates", async () => {
  const compared: Compared = { totals: 0, atOnce: 0 };
  const batches = Array.from({ length: PLANS / BATCH }, (_, index) => index).values();
  // The service waits for the database, and the other batches go on.
  const lane = async () => {
    for (const batch of batches) await compareBatch(batch, compared);
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  expect(compared.totals).toBe(PLANS);
  expect(compared.atOnce).toBeGreaterThan(0);
});
