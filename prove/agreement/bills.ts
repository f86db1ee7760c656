/** A whole bill with every kind of charge: core from events to the total, against the second opinion that production asks. */
import { type Charge, type Metric, type Plan, parsePlan } from "@tallystick/core/catalog";
import { type BillFee, feesOfBill, invoiceOfBills, type UsageQuery, usageOfBill } from "@tallystick/core/invoicing";
import { currency, decimal, minor } from "@tallystick/core/money";
import { looksAtValues } from "@tallystick/core/rating";
import type { Bill, ChargePart } from "@tallystick/core/subscription";
import { type Bucket, type PaidUnits, paidUnits, splitUsage } from "@tallystick/core/usage";
import {
  bucketName,
  type PartCase,
  type Recomputation,
  type RecomputationInput,
  recomputeInvoice,
  type UsageCase,
} from "@tallystick/second-opinion";
import fc from "fast-check";
import { AT, CHARGES, COUPON, METRICS, NEXT, NOTE, PERIOD, TERMS, WALLET } from "./bill-terms.ts";
import { type Comparison, comparison } from "./comparison.ts";

type SentEvent = { code: string; at: string; properties: Record<string, string> };

const event: fc.Arbitrary<SentEvent> = fc
  .record({
    code: fc.constantFrom(...Object.keys(METRICS)),
    hours: fc.integer({ min: -96, max: 24 * 32 }),
    microseconds: fc.integer({ min: 0, max: 999_999 }),
    gb: fc.option(fc.constantFrom("1.5", "7", "2.25", "-1", "0", "x", "33.33")),
    seat: fc.option(fc.constantFrom("a", "b", "c")),
    operation_type: fc.option(fc.constantFrom("add", "remove", "odd")),
    region: fc.option(fc.constantFrom("eu", "us", "elsewhere")),
    team: fc.option(fc.constantFrom("a", "b", "")),
  })
  .map(({ code, hours, microseconds, ...texts }) => ({
    code,
    at: Temporal.Instant.from(PERIOD.from).add({ hours }).add({ microseconds }).toString(),
    properties: Object.fromEntries(
      Object.entries(texts).flatMap(([name, text]): [string, string][] => (text === null ? [] : [[name, text]])),
    ),
  }));

/** How a change of plan leaves the charges on recurring metrics, by their ids. */
type Parts = Record<string, PartCase>;

const part: fc.Arbitrary<PartCase> = fc.oneof(
  fc.constantFrom<PartCase>({ type: "whole" }, { type: "left_out" }),
  fc
    .tuple(fc.integer({ min: 0, max: PERIOD.periodDays - 1 }), fc.integer({ min: 0, max: PERIOD.periodDays - 1 }))
    .map(([one, other]): PartCase => {
      const dayAfter = (days: number) => Temporal.PlainDate.from(PERIOD.firstDay).add({ days }).toString();
      return { type: "days", firstDay: dayAfter(Math.min(one, other)), lastDay: dayAfter(Math.max(one, other)) };
    }),
  fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 1, max: 400 })).map(([start, length]): PartCase => {
    const paidFrom = Temporal.Instant.from(PERIOD.from).add({ hours: start });
    return { type: "beyond_paid", paidFrom: String(paidFrom), paidTo: String(paidFrom.add({ hours: length })) };
  }),
);

const RECURRING = CHARGES.filter(({ billable_metric_id: id, pay_in_advance }) => {
  const metric = METRICS[id as keyof typeof METRICS];
  return metric?.recurring && !pay_in_advance && metric.aggregation_type !== "weighted_sum_agg";
}).map(({ id }) => id);

type Requested = { events: SentEvent[]; parts: Parts };

const requested: fc.Arbitrary<Requested> = fc.record({
  events: fc.array(event, { maxLength: 30 }),
  parts: fc.dictionary(fc.constantFrom(...RECURRING), part, { maxKeys: RECURRING.length, noNullPrototype: true }),
});

export const BILL_COMPARISONS: readonly Comparison[] = [
  comparison("bill of every kind of charge", requested, billByCore, (one) =>
    recomputeInvoice(askAbout(one, countedAgain)),
  ),
  comparison(
    "bill of every kind of charge, as measured",
    requested,
    (one) => Object.fromEntries(Object.entries(billByCore(one)).filter(([name]) => !name.startsWith("units "))),
    (one) => recomputeInvoice(askAbout(one, asMeasured)),
  ),
];

const metrics = new Map(
  Object.entries(METRICS).map(([id, { aggregation_type, field_name: field, recurring: isRecurring, filters }]) => {
    const type = aggregation_type.replace(/_agg$/, "");
    const aggregation = type === "count" ? { type } : { type, field, isRecurring };
    return [id, { code: id, aggregation, filters } as Metric] as const;
  }),
);

const plan = readPlan();

function readPlan(): Plan {
  const parsed = parsePlan({ ...TERMS, tax_codes: [] }, metrics);
  if (!parsed.ok) throw new Error(`the catalog refuses the plan: ${JSON.stringify(parsed.error)}`);
  const charges = parsed.value.charges.map((charge, index) => ({
    ...charge,
    id: CHARGES[index]?.id ?? "",
    filters: charge.filters.map((filter, place) => ({ ...filter, id: CHARGES[index]?.filters[place]?.id ?? "" })),
  }));
  return { ...parsed.value, charges, minimumCommitmentMinor: minor(BigInt(TERMS.minimum_commitment.amount_cents)) };
}

const spanOf = ({ from, to, firstDay, lastDay, periodDays }: typeof PERIOD) => ({
  from: Temporal.Instant.from(from),
  to: Temporal.Instant.from(to),
  firstDay: Temporal.PlainDate.from(firstDay),
  lastDay: Temporal.PlainDate.from(lastDay),
  periodDays,
});

const billOf = (parts: Parts): Bill => ({
  reason: "periodic",
  fee: { ...spanOf(PERIOD), freeDays: 3 },
  charges: { ...spanOf(PERIOD), timeZone: "UTC" },
  renewal: { ...spanOf(NEXT), timeZone: "UTC" },
  commitment: spanOf(PERIOD),
  parts: Object.fromEntries(Object.entries(parts).map(([id, one]) => [id, partOf(one)])),
  returned: [],
});

function partOf(one: PartCase): ChargePart {
  if (one.type === "left_out") return { ...one, paidFrom: null };
  if (one.type === "beyond_paid")
    return { ...one, paidFrom: Temporal.Instant.from(one.paidFrom), paidTo: Temporal.Instant.from(one.paidTo) };
  if (one.type === "whole") return one;
  return { ...one, firstDay: Temporal.PlainDate.from(one.firstDay), lastDay: Temporal.PlainDate.from(one.lastDay) };
}

type Used = {
  charge: Charge;
  buckets: readonly Bucket[];
  sent: readonly SentEvent[];
  paid: readonly PaidUnits[] | undefined;
};

function usedOf(expected: readonly UsageQuery[], events: readonly SentEvent[]): Used[] {
  return expected.map(({ charge, window, paid }) => {
    const sent = events.filter(({ code }) => code === charge.metric.code);
    const given = sent.map(({ at, properties }, index) => ({
      at: Temporal.Instant.from(at),
      position: BigInt(index),
      properties,
    }));
    const buckets = splitUsage(charge, given, window);
    return { charge, sent, buckets, paid: paid ? paidUnits(charge, given, paid) : undefined };
  });
}

const VAT = { code: "vat", rate: "19.6" };

function billByCore({ events, parts }: Requested): Recomputation {
  const bill = billOf(parts);
  const target = usageOfBill(bill, plan, null);
  const [usage, renewed] = [usedOf(target.inArrears, events), usedOf(target.renewed, events)];
  const fees = feesOfBill({
    bill,
    plan,
    successor: null,
    usage,
    renewed,
    usedBeforeMinor: minor(5n),
    taxes: { plan: [], commitment: [], charges: new Map() },
    names: { plan: "", commitment: "", charges: new Map(), filters: new Map() },
  });
  const { invoice, invoiced, standalone } = invoiceOfBills([{ subscriptionId: "s", fees }], {
    id: "i",
    form: { type: "subscription", status: "finalized" },
    currency: currency("EUR"),
    at: Temporal.Instant.from(AT),
    taxes: { customer: [{ code: VAT.code, name: VAT.code, rate: decimal(VAT.rate) }], organization: [] },
    coupons: [COUPON.core],
    creditNotes: [NOTE.core],
    wallets: [WALLET.core],
  });
  const said: [string, bigint | string][] = [
    ...invoiced.flatMap(({ fee, figures }) => feeSaid(fee, figures.taxesMinor)),
    ...standalone.flatMap(({ fee, taxes }) => feeSaid(fee, taxes.taxesMinor)),
    ...unitsSaid("usage", usage),
    ...unitsSaid("renewal", renewed),
    ...invoice.taxLines.flatMap(({ baseMinor, amountMinor }): [string, bigint][] => [
      [`base of tax ${VAT.code} ${VAT.rate}`, baseMinor],
      [`tax ${VAT.code} ${VAT.rate}`, amountMinor],
    ]),
    ...invoice.couponUses.map(({ coupon, creditMinor }): [string, bigint] => [`coupon ${coupon.id}`, creditMinor]),
    ...invoice.creditNoteUses.map(({ note, amountMinor }): [string, bigint] => [`credit note ${note.id}`, amountMinor]),
    ...invoice.walletUses.map(({ wallet, amountMinor }): [string, bigint] => [`wallet ${wallet.id}`, amountMinor]),
    ["coupons", invoice.figures.couponsMinor],
    ["taxes", invoice.figures.taxesMinor],
    ["credit notes", invoice.figures.creditNotesMinor],
    ["prepaid", invoice.figures.prepaidMinor],
    ["total", invoice.figures.totalMinor],
  ];
  const texts = said.map(([name, value]) => [name, String(value)] as const).filter(([, text]) => text !== "0");
  return Object.fromEntries(texts.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

const feeSaid = (fee: BillFee, taxes: bigint): [string, bigint][] => [
  [`fee ${nameOf(fee)}`, fee.amountMinor],
  [`taxes of ${nameOf(fee)}`, taxes],
];

function nameOf({ key, chargeId, filterId, group }: BillFee): string {
  if (!key.includes(":")) return `s ${key}`;
  if (key.startsWith("true_up:")) return `s minimum ${chargeId}`;
  return `s ${key.startsWith("renewal:") ? "renewal" : "usage"} ${chargeId} ${bucketName({ filterId, group })}`;
}

const bucketOf = ({ filter, group }: Bucket) => ({ filterId: filter?.id ?? null, group });

const unitsSaid = (kind: string, used: readonly Used[]): [string, string][] =>
  used.flatMap(({ charge, buckets }) =>
    buckets.map((bucket): [string, string] => [
      `units s ${kind} ${charge.id} ${bucketName(bucketOf(bucket))}`,
      bucket.quantity.units.toFixed(),
    ]),
  );

function askAbout({ events, parts }: Requested, caseOf: (used: Used) => UsageCase): RecomputationInput {
  const wanted = usageOfBill(billOf(parts), plan, null);
  const span = { ...PERIOD, timeZone: "UTC" };
  return {
    invoiceId: "i",
    currency: "EUR",
    digits: 2,
    at: AT,
    bills: [
      {
        subscriptionId: "s",
        plan: TERMS,
        successorMetricCodes: [],
        metrics: METRICS,
        windows: {
          fee: { ...PERIOD, freeDays: 3 },
          charges: span,
          renewal: { ...NEXT, timeZone: "UTC" },
          commitment: PERIOD,
          parts,
        },
        usedBeforeMinor: "5",
        taxes: { plan: [], commitment: [], charges: {} },
        usage: usedOf(wanted.inArrears, events).map(caseOf),
        renewed: usedOf(wanted.renewed, events).map(caseOf),
      },
    ],
    taxes: { customer: [VAT], organization: [] },
    coupons: [COUPON.requested],
    creditNotes: [NOTE.requested],
    wallets: [WALLET.requested],
  };
}

const countedAgain = (used: Used): UsageCase => ({
  ...asMeasured(used),
  events: used.sent.map(({ at, properties }) => ({ at, properties })),
});

/** As a store of events gives it: single values only where the price looks at them. */
const asMeasured = ({ charge, buckets, paid }: Used): UsageCase => ({
  chargeId: charge.id,
  events: null,
  ...(paid ? { paid: paid.map(({ units, ...bucket }) => ({ ...bucket, units: units.toFixed() })) } : {}),
  measured: buckets.map((bucket) => ({
    ...bucketOf(bucket),
    units: bucket.quantity.units.toFixed(),
    events: String(bucket.quantity.eventsCount),
    values: looksAtValues(charge) ? bucket.quantity.values.map((value) => value.toFixed()) : [],
    // Of prorated quantities these are inputs of both.
    changes: bucket.quantity.changes.map(({ units, days }) => ({ units: units.toFixed(), days })),
  })),
});
