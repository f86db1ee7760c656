/** Recomputes an invoice before finalization, from the same inputs with other code, without a lock. */
import { minorDigits } from "@tallystick/core/money";
import {
  bucketName,
  type EventCase,
  type Recomputation,
  type RecomputationInput,
  type UsageCase,
} from "@tallystick/second-opinion";
import { parseJson } from "../../../platform/json-text.ts";
import { type Batch, batched } from "../../../platform/postgres/batch.ts";
import { findVersion, type PriceList, type TaxRow } from "../../catalogue/index.ts";
import {
  type AcceptedEvent,
  type EventStore,
  fromOrder,
  type MeasuredUsage,
  toCut,
  type UsageReader,
} from "../../usage/index.ts";
import { inputsOf } from "./decide-invoice.ts";
import type { Billing, LoadedBill, Payer } from "./load-billing.ts";
import { currencyOfBills, type Measured } from "./measure-bills.ts";
import type { Computed, InvoiceDeps } from "./save-invoice.ts";
import type { RecomputationDifference } from "./second-opinion.ts";
import type { Spendable } from "./spendable.ts";
import { toStoredSpendable } from "./stored-spendable.ts";

/** For a charge with more events than this, the measured quantities are only priced again. */
const EVENTS_MAX = 1000;

export type Recomputed = {
  /** The inputs without usage. Later inputs may differ. */
  basis: string;
  recomputation: Recomputation;
  /** Recomputes with later inputs. Events are read once. */
  again: (terms: Terms) => Recomputation;
};

/** All inputs of a recomputation, except usage. */
type Terms = Pick<Billing, "bills" | "payer"> & { spendable: Spendable; at: Temporal.Instant };

export type Requested = Billing & Terms & { storedTerms: StoredTerms };

/** By plan and version. */
type StoredTerms = ReadonlyMap<string, unknown>;

/** "waived" if it cannot be computed: a fault of the second computation alone does not block an invoice. */
export async function recompute(
  deps: UsageReader & Pick<InvoiceDeps, "secondOpinion">,
  requested: Requested,
  measured: Measured,
): Promise<Recomputed | "waived"> {
  const { organization_id: organizationId, id: invoiceId } = requested.invoice;
  try {
    const usages: Usage[] = [];
    for (const loaded of requested.bills) usages.push(await readUsage(deps, organizationId, loaded, measured));
    const again = (terms: Terms) => deps.secondOpinion.give(caseOf({ ...requested, ...terms }, usages));
    return { basis: recomputationBasis(requested), recomputation: again(requested), again };
  } catch (err) {
    deps.secondOpinion.onMissing({ organizationId, invoiceId, err });
    return "waived";
  }
}

function caseOf(
  { invoice, bills, payer, storedTerms, spendable, at }: Requested,
  usages: readonly Usage[],
): RecomputationInput {
  const currency = currencyOfBills(bills);
  const cases = bills.flatMap((whole, index) =>
    inputsOf(whole).map((loaded) => ({
      ...billCase(loaded),
      usage: loaded.bill.charges === null ? [] : (usages[index]?.usage ?? []),
      renewed: loaded.bill.renewal === null ? [] : (usages[index]?.renewed ?? []),
      plan: storedTerms.get(nameOfVersion(loaded.priceList)) as RecomputationInput["bills"][number]["plan"],
    })),
  );
  return {
    invoiceId: invoice.id,
    currency,
    digits: minorDigits(currency),
    at: at.toString(),
    bills: cases,
    taxes: ratesOfPayer(payer),
    ...toStoredSpendable(spendable),
  };
}

/** The terms as stored, not as core reads them. */
export async function loadStoredTerms(
  batch: Batch,
  organizationId: string,
  bills: readonly LoadedBill[],
): Promise<StoredTerms> {
  const terms = new Map<string, unknown>();
  for (const { priceList } of bills.flatMap(inputsOf))
    terms.set(nameOfVersion(priceList), await findStoredTerms(batch, organizationId, priceList));
  return terms;
}

type Version = Pick<PriceList, "planId" | "version">;
const nameOfVersion = ({ planId, version }: Version): string => `${planId} ${version}`;

/** Each version once. */
const findStoredTerms = batched<Version, unknown>(async (tx, organizationId, all) => {
  const known = new Map<string, unknown>();
  for (const version of all)
    if (!known.has(nameOfVersion(version)))
      known.set(nameOfVersion(version), (await findVersion(tx, organizationId, version))?.terms);
  return all.map((version) => known.get(nameOfVersion(version)));
});

type Usage = { usage: UsageCase[]; renewed: UsageCase[] };

function billCase(loaded: LoadedBill): Omit<RecomputationInput["bills"][number], "plan" | keyof Usage> {
  const { priceList, successor, bill } = loaded;
  const { reason, ...windows } = bill;
  return {
    subscriptionId: loaded.subscriptionId,
    reason,
    successorMetricCodes: successor ? metricCodesOf(successor) : [],
    metrics: Object.fromEntries(
      byId(priceList.metricsById).map(([id, { code, aggregation_type, field_name, recurring, filters }]) => [
        id,
        {
          code,
          aggregation_type,
          field_name,
          recurring,
          filters: filters as unknown as { key: string; values: string[] }[],
        },
      ]),
    ),
    windows: JSON.parse(JSON.stringify(windows)),
    usedBeforeMinor: String(loaded.usedBeforeMinor),
    taxes: {
      plan: priceList.planTaxes.map(toRate),
      commitment: priceList.commitmentTaxes.map(toRate),
      charges: Object.fromEntries(byId(priceList.chargeTaxes).map(([id, taxes]) => [id, taxes.map(toRate)])),
    },
  };
}

const byId = <Value>(values: ReadonlyMap<string, Value>): [string, Value][] =>
  [...values].toSorted(([one], [other]) => (one < other ? -1 : 1));

const metricCodesOf = ({ plan, metricsById }: PriceList): string[] =>
  plan.charges.flatMap(({ metricId }) => metricsById.get(metricId)?.code ?? []);

const toRate = ({ code, rate }: TaxRow) => ({ code, rate: rate.toFixed() });

async function readUsage(
  reader: UsageReader,
  organizationId: string,
  loaded: LoadedBill,
  { cut, usage }: Measured,
): Promise<Usage> {
  const { inArrears = [], renewed = [] } = usage.get(loaded.billId) ?? {};
  const scope = { externalSubscriptionId: loaded.externalId, historyFrom: loaded.firstStartedAt, cut };
  const read = (measured: MeasuredUsage) => readAgain(reader, organizationId, scope, measured);
  return { usage: await read(inArrears), renewed: await read(renewed) };
}

type Scope = Omit<Parameters<EventStore["readAccepted"]>[2], "window">;

/** Reads the events themselves if they are few enough, so that other code counts them too. */
async function readAgain(
  { events, barrier }: UsageReader,
  organizationId: string,
  scope: Scope,
  measured: MeasuredUsage,
): Promise<UsageCase[]> {
  const few = measured.filter(isCountedAgain);
  const byCharge = new Map<string, readonly AcceptedEvent[]>();
  for (const alike of Map.groupBy(few, ({ upTo }) => String(upTo)).values()) {
    const [first] = alike;
    const charges = alike.map(({ charge }) => charge);
    const seen = first && { ...scope, window: first.window, atEnd: toCut(first.upTo) };
    const accepted = seen ? await events.readAccepted(barrier, organizationId, seen, charges) : [];
    for (const [index, { id }] of charges.entries()) byCharge.set(id, accepted[index] ?? []);
  }
  return measured.map(({ charge, buckets, paid }) => ({
    chargeId: charge.id,
    ...(paid ? { paid: paid.map(({ units, ...bucket }) => ({ ...bucket, units: units.toFixed() })) } : {}),
    events: byCharge.get(charge.id)?.map(toCase) ?? null,
    measured: buckets.map(({ filter, group, quantity }) => ({
      filterId: filter?.id ?? null,
      group,
      units: quantity.units.toFixed(),
      events: String(quantity.eventsCount),
      values: quantity.values.map((value) => value.toFixed()),
      changes: quantity.changes.map(({ units, days }) => ({ units: units.toFixed(), days })),
    })),
  }));
}

function toCase({ at, properties, position: order }: AcceptedEvent): EventCase {
  const { shard, position } = fromOrder(order);
  return { at: at.toString(), properties, place: { shard, position: String(position) } };
}

const isCountedAgain = ({ eventsSeen }: MeasuredUsage[number]): boolean => eventsSeen <= EVENTS_MAX;

/** All inputs of a recomputation besides usage, and what has expired. The order of rows does not matter. */
export const recomputationBasis = ({ bills, payer, spendable, at }: Terms): string =>
  JSON.stringify(
    {
      bills: bills.map((loaded) => ({
        billId: loaded.billId,
        planId: loaded.priceList.planId,
        version: loaded.priceList.version,
        openingVersion: loaded.opening.version,
        ...billCase(loaded),
      })),
      taxes: ratesOfPayer(payer),
      spendable: toStoredSpendable(spendable),
      expired: spendable.wallets
        .filter(({ expiresAt }) => expiresAt && Temporal.Instant.compare(expiresAt, at) <= 0)
        .map(({ id }) => id),
    },
    (_, value: unknown) => (Array.isArray(value) ? value.toSorted(byText) : value),
  );

const byText = (one: unknown, other: unknown): number => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);

const ratesOfPayer = ({ taxes }: Payer) => ({
  customer: taxes.customer.map(toRate),
  organization: taxes.organization.map(toRate),
});

/** null: one side has no such figure. */
export function compareRecomputations(first: Recomputation, second: Recomputation): RecomputationDifference[] {
  const names = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  return names.flatMap((figure) => {
    const [one, other] = [first[figure] ?? null, second[figure] ?? null];
    return one === other ? [] : [{ figure, first: one, second: other }];
  });
}

/** Core's results, under the same names. */
export function firstRecomputation(made: Computed, bills: readonly LoadedBill[], { usage }: Measured): Recomputation {
  const { figures, taxLines, couponUses = [], creditNoteUses = [], walletUses = [] } = made.computed;
  const said: [string, bigint | string][] = [
    ...made.fees.flatMap((fee): [string, bigint][] => [
      [`fee ${nameOf(fee)}`, BigInt(fee.amount_cents)],
      [`taxes of ${nameOf(fee)}`, BigInt(fee.taxes_amount_cents)],
    ]),
    ...bills.flatMap(({ billId, subscriptionId }) => {
      const { inArrears = [], renewed = [] } = usage.get(billId) ?? {};
      return [...unitsOf(subscriptionId, "usage", inArrears), ...unitsOf(subscriptionId, "renewal", renewed)];
    }),
    ...taxLines.flatMap(({ tax, baseMinor, amountMinor }): [string, bigint][] => [
      [`base of tax ${tax.code} ${tax.rate.toFixed()}`, baseMinor],
      [`tax ${tax.code} ${tax.rate.toFixed()}`, amountMinor],
    ]),
    ...couponUses.map(({ coupon, creditMinor }): [string, bigint] => [`coupon ${coupon.id}`, creditMinor]),
    ...creditNoteUses.map(({ note, amountMinor }): [string, bigint] => [`credit note ${note.id}`, amountMinor]),
    ...walletUses.map(({ wallet, amountMinor }): [string, bigint] => [`wallet ${wallet.id}`, amountMinor]),
    ["coupons", figures.couponsMinor],
    ["taxes", figures.taxesMinor],
    ["credit notes", figures.creditNotesMinor],
    ["prepaid", figures.prepaidMinor],
    ["total", figures.totalMinor],
  ];
  return Object.fromEntries(said.map(([name, value]) => [name, String(value)]).filter(([, value]) => value !== "0"));
}

function unitsOf(subscriptionId: string, kind: string, measured: MeasuredUsage): [string, string][] {
  return measured
    .filter(isCountedAgain)
    .flatMap(({ charge, buckets }) =>
      buckets.map(({ filter, group, quantity }): [string, string] => [
        `units ${subscriptionId} ${kind} ${charge.id} ${bucketName({ filterId: filter?.id ?? null, group })}`,
        quantity.units.toFixed(),
      ]),
    );
}

type NamedFee = Computed["fees"][number];

/** As the other computation names it. */
function nameOf(fee: NamedFee): string {
  const { subscription_id: subscription, kind, charge_id: charge } = fee;
  if (charge === null || charge === undefined) return `${subscription} ${kind}`;
  if (kind === "true_up") return `${subscription} minimum ${charge}`;
  const group = parseJson<Record<string, string | null>>(String(fee.grouped_by));
  return `${subscription} ${kind} ${charge} ${bucketName({ filterId: fee.charge_filter_id ?? null, group })}`;
}
