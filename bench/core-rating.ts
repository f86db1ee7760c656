/** How fast core rates: a plan of 10 charges of all six models with 3 filters each, against bare decimal arithmetic. */
import type { Charge, Pricing } from "@tallystick/core/catalog";
import { currency, type Decimal, decimal, minor } from "@tallystick/core/money";
import { rateCharge } from "@tallystick/core/rating";
import type { Bucket, UsageWindow } from "@tallystick/core/usage";

const ROUNDS = 7;
const ROUND_MS = 1000;

const tiers = [
  { from: 0n, to: 100n, perUnit: decimal("0.10"), flat: decimal("2") },
  { from: 101n, to: 1000n, perUnit: decimal("0.05"), flat: decimal("1") },
  { from: 1001n, to: null, perUnit: decimal("0.01"), flat: decimal("0") },
];
const PRICINGS: readonly Pricing[] = [
  { model: "standard", amount: decimal("0.012345") },
  { model: "graduated", tiers },
  { model: "volume", tiers },
  { model: "package", amount: decimal("5"), freeUnits: 10n, packageSize: 100n },
  {
    model: "percentage",
    rate: decimal("1.3"),
    fixedAmount: decimal("0.1"),
    freeEvents: 3n,
    freeUnits: null,
    perTransactionMin: null,
    perTransactionMax: null,
  },
  {
    model: "graduated_percentage",
    tiers: tiers.map(({ from, to, flat }) => ({ from, to, flat, rate: decimal("2.5") })),
  },
];

const window: UsageWindow = {
  from: Temporal.Instant.from("2026-11-01T00:00:00Z"),
  to: Temporal.Instant.from("2026-12-01T00:00:00Z"),
  timeZone: "UTC",
  firstDay: Temporal.PlainDate.from("2026-11-01"),
  lastDay: Temporal.PlainDate.from("2026-11-30"),
  periodDays: 30,
};

/** Ten events per bucket, which a percentage prices one by one. */
const values = Array.from({ length: 10 }, (_, index) => decimal(`${100 + index * 17}.25`));
const units = values.reduce((sum, value) => sum.plus(value));
const quantity = {
  units,
  eventsCount: 10n,
  eventsFolded: 10n,
  closing: units,
  values,
  changes: [],
};

const plan: readonly { charge: Charge; buckets: readonly Bucket[] }[] = Array.from({ length: 10 }, (_, index) => {
  const price = { pricing: PRICINGS[index % PRICINGS.length] as Pricing, groupedBy: [] };
  const filters = ["eu", "us", "asia"].map((region) => ({ id: region, values: { region: [region] }, price }));
  const charge: Charge = {
    id: String(index),
    metric: { code: "calls", aggregation: { type: "sum", field: "v", isRecurring: false }, filters: [] },
    price,
    filters,
    timing: { type: "arrears", minAmountMinor: minor(0n) },
    isProrated: false,
  };
  const derivation = {} as Bucket["derivation"];
  return { charge, buckets: [...filters, null].map((filter) => ({ filter, group: {}, quantity, derivation })) };
});

export async function measureRating() {
  const context = { window, currency: currency("EUR") };
  const ratings = plan.length * 4;
  const core: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    core.push(perSecond(() => plan.map(({ charge, buckets }) => rateCharge(charge, buckets, context))));
    bare.push(perSecond(() => plan.map(({ charge, buckets }) => buckets.map(() => bareAmount(charge.price.pricing)))));
  }
  const plansPerSecond = median(core);
  return {
    plansPerSecond: Math.round(plansPerSecond),
    ratingsPerSecond: Math.round(plansPerSecond * ratings),
    bareRatingsPerSecond: Math.round(median(bare) * ratings),
    ratioToBare: Number((plansPerSecond / median(bare)).toFixed(3)),
    rounds: ROUNDS,
  };
}

/** The same amount in bare decimals: no derivation, no exact quotient, rounded to cents. */
function bareAmount(pricing: Pricing): string {
  return bareCost(pricing).round(2, 1).toFixed();
}

function bareCost(pricing: Pricing): Decimal {
  switch (pricing.model) {
    case "standard":
      return units.times(pricing.amount);
    case "graduated":
      return bareTiers(pricing.tiers.map(({ to, perUnit, flat }) => ({ to, perUnit, flat })));
    case "graduated_percentage":
      return bareTiers(pricing.tiers.map(({ to, rate, flat }) => ({ to, perUnit: rate.times(decimal("0.01")), flat })));
    case "volume": {
      const tier = pricing.tiers.find(({ to }) => to === null || units.lte(decimal(String(to))));
      return tier ? units.times(tier.perUnit).plus(tier.flat) : decimal("0");
    }
    case "package":
      return units
        .minus(decimal(String(pricing.freeUnits)))
        .div(decimal(String(pricing.packageSize)))
        .round(0, 3)
        .times(pricing.amount);
    case "percentage": {
      let paid = decimal("0");
      for (const value of values.slice(Number(pricing.freeEvents ?? 0n))) {
        paid = paid.plus(value.times(pricing.rate).times(decimal("0.01"))).plus(pricing.fixedAmount);
      }
      return paid;
    }
  }
}

function bareTiers(list: readonly { to: bigint | null; perUnit: Decimal; flat: Decimal }[]): Decimal {
  let cost = decimal("0");
  let floor = decimal("0");
  for (const { to, perUnit, flat } of list) {
    if (units.lte(floor)) break;
    const top = to === null || units.lt(decimal(String(to))) ? units : decimal(String(to));
    cost = cost.plus(top.minus(floor).times(perUnit)).plus(flat);
    floor = top;
  }
  return cost;
}

function perSecond(work: () => unknown): number {
  let times = 0;
  const begun = performance.now();
  for (; performance.now() - begun < ROUND_MS; times++) work();
  return (times * 1000) / (performance.now() - begun);
}

const median = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
