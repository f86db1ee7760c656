/** Recomputes an invoice of bills from the events up to its stored snapshot, the stored plan versions and its other stored inputs. */
import assert from "node:assert/strict";
import { isRecurring } from "@tallystick/core/catalog";
import { finalizedDates } from "@tallystick/core/invoicing";
import { currency, minor } from "@tallystick/core/money";
import { ALONE } from "../../../platform/postgres/batch.ts";
import { inSnapshot } from "../../../platform/postgres/database.ts";
import { loadPastPriceList, type PriceList } from "../../catalogue/index.ts";
import {
  decideInvoice,
  feeRowsOf,
  fromStoredSpendable,
  type LoadedBill,
  type Measured,
  measureBillsAt,
  paymentOf,
  quantitiesOf,
  taxRowsOf,
} from "../../invoicing/index.ts";
import { toBill } from "../../subscriptions/index.ts";
import type { Rebuild, VerifyDeps } from "./rebuild.ts";
import { fromOwnDerivation } from "./remake-others.ts";
import { type Members, membersOfRemade, type StoredInvoice } from "./shown-invoice.ts";
import { type EventScope, findMetricsThen } from "./store.ts";
import { type FromBills, type StoredBill, type StoredQuantity, toTaxRow } from "./stored-inputs.ts";

/** A set of events that differs from the counted one. */
export type OtherUsage = {
  bill: StoredBill;
  was: StoredQuantity | null;
  is: StoredQuantity | null;
  /** Whether events before its window count. */
  isCarried: boolean;
};

export type RemadeBills = { members: Members; otherUsage: readonly OtherUsage[] };

/** Substitutes another version of a plan, to test whether it explains a difference. */
export type VersionOf = (planId: string, stored: number) => number;

const AS_STORED: VersionOf = (_, stored) => stored;

/** null: a version of a plan no longer exists. */
export async function remakeBills(
  deps: VerifyDeps,
  { stored, inputs }: Rebuild<FromBills>,
  versionOf: VersionOf = AS_STORED,
): Promise<RemadeBills | null> {
  const organizationId = stored.row.organization_id;
  const bills = await inSnapshot(deps.db, organizationId, async (tx) => {
    const billIds = inputs.bills.map(({ billId }) => billId);
    const metricsThen = await findMetricsThen(tx, organizationId, billIds);
    const priceListOf = (planId: string, version: number) =>
      loadPastPriceList(tx, organizationId, { planId, version: versionOf(planId, version), metricsThen });
    return loadBillsOf(inputs.bills, priceListOf);
  });
  if (bills === null) return null;
  const measured = await measureBillsAt({ ...deps, barrier: ALONE }, organizationId, bills, inputs.cut.map(BigInt));
  return { members: decide(stored, inputs, bills, measured), otherUsage: compareUsage(inputs.bills, measured) };
}

function decide(stored: StoredInvoice, inputs: FromBills, bills: readonly LoadedBill[], measured: Measured): Members {
  const { id, customer_id: customerId, finalized_at: at, net_payment_term: term } = stored.row;
  const [first] = bills;
  assert(first && at, "a finalized invoice of bills has a bill");
  const code = currency(first.priceList.plan.currency);
  const taxes = {
    customer: inputs.taxes.customer.map(toTaxRow),
    organization: inputs.taxes.organization.map(toTaxRow),
  };
  const decided = decideInvoice({ bills, payer: { taxes } }, measured, {
    id,
    currency: code,
    status: "finalized",
    at,
    spendable: fromStoredSpendable(inputs.spendable),
  });
  const taxRows = taxRowsOf({ bills, payer: { taxes } });
  const { timeZone } = inputs;
  const made = feeRowsOf(decided, { invoiceId: id, customerId, bills, taxRows, payment: paymentOf("pending", at) });
  const kept = stored.fees.filter((fee) => inputs.keptFeeIds?.includes(fee.id));
  const isKept = ({ bill_id, fee_key }: (typeof made)[number]) =>
    kept.some((fee) => fee.bill_id === bill_id && fee.fee_key === fee_key);
  return membersOfRemade(stored, {
    currency: code,
    timeZone,
    dates: finalizedDates(at, { timeZone, netPaymentTermDays: term ?? 0 }),
    computed: decided.invoice,
    fees: [...made.filter((fee) => !isKept(fee)), ...kept.map((fee) => fromOwnDerivation(stored, fee))],
  });
}

type FindPriceList = (planId: string, version: number) => ReturnType<typeof loadPastPriceList>;

async function loadBillsOf(stored: readonly StoredBill[], find: FindPriceList): Promise<LoadedBill[] | null> {
  const bills: LoadedBill[] = [];
  for (const bill of stored) {
    const { successor } = bill;
    const priceList = await find(bill.planId, bill.planVersion);
    const opening = bill.openingVersion === undefined ? priceList : await find(bill.planId, bill.openingVersion);
    const next = successor ? await find(successor.planId, successor.planVersion) : null;
    if (priceList === undefined || opening === undefined || next === undefined) return null;
    bills.push(toLoaded(bill, { priceList, opening }, next));
  }
  return bills;
}

const toLoaded = (
  bill: StoredBill,
  { priceList, opening }: Pick<LoadedBill, "priceList" | "opening">,
  successor: PriceList | null,
): LoadedBill => ({
  billId: bill.billId,
  subscriptionId: bill.subscriptionId,
  externalId: bill.externalSubscriptionId,
  planId: bill.planId,
  firstStartedAt: Temporal.Instant.from(bill.historyFrom),
  successorPlanId: bill.successor?.planId ?? null,
  bill: toBill(bill.reason, bill.windows),
  priceList: withTaxes(priceList, bill),
  opening: withTaxes(opening, bill),
  successor,
  usedBeforeMinor: minor(BigInt(bill.usedBeforeMinor)),
});

const withTaxes = (priceList: PriceList, { taxes }: StoredBill): PriceList => ({
  ...priceList,
  planTaxes: taxes.plan.map(toTaxRow),
  commitmentTaxes: taxes.commitment.map(toTaxRow),
  chargeTaxes: new Map(Object.entries(taxes.charges).map(([id, of]) => [id, of.map(toTaxRow)])),
});

function compareUsage(bills: readonly StoredBill[], { usage }: Measured): OtherUsage[] {
  return bills.flatMap((bill) => {
    const { inArrears = [], renewed = [] } = usage.get(bill.billId) ?? {};
    return [...compareQuantities(bill, bill.inArrears, inArrears), ...compareQuantities(bill, bill.renewed, renewed)];
  });
}

function compareQuantities(
  bill: StoredBill,
  before: readonly StoredQuantity[],
  now: Parameters<typeof quantitiesOf>[0],
): OtherUsage[] {
  const [was, is] = [byBucket(before), byBucket(quantitiesOf(now))];
  const aggregations = new Map(now.map(({ charge }) => [charge.id, charge.metric.aggregation]));
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key) => {
    const [stored, found] = [was.get(key) ?? null, is.get(key) ?? null];
    const isSame =
      (stored?.events ?? "0") === (found?.events ?? "0") &&
      (stored?.digest ?? "0") === (found?.digest ?? "0") &&
      (stored?.units ?? "0") === (found?.units ?? "0");
    const aggregation = aggregations.get((found ?? stored)?.chargeId ?? "");
    const isCarried = aggregation === undefined || isRecurring(aggregation);
    return isSame ? [] : [{ bill, was: stored, is: found, isCarried }];
  });
}

const byBucket = (quantities: readonly StoredQuantity[]): ReadonlyMap<string, StoredQuantity> =>
  new Map(
    quantities.map((one) => [
      JSON.stringify([one.chargeId, one.filterId, Object.entries(one.group).toSorted(([a], [b]) => (a < b ? -1 : 1))]),
      one,
    ]),
  );

/** The window of a bill's usage. For a recurring metric it begins at the first start of the subscription. */
export function scopeOf({ bill, isCarried }: OtherUsage, cut: readonly string[]): EventScope {
  const { charges, renewal } = toBill(bill.reason, bill.windows);
  const start = Temporal.Instant.from(bill.historyFrom);
  const from = isCarried ? start : (charges?.from ?? start);
  const to = charges?.to ?? renewal?.from ?? from;
  return { externalSubscriptionId: bill.externalSubscriptionId, from, to, cut };
}
