/** Loads the inputs of an invoice of bills, except usage: first to prepare it, then again under the customer's lock. */
import assert from "node:assert/strict";
import { type Minor, minor, roundMinor, sumMinor } from "@tallystick/core/money";
import type { Batch } from "../../../platform/postgres/batch.ts";
import { findOrganization } from "../../accounts/index.ts";
import { findTaxesById, loadVersion, type PriceList } from "../../catalogue/index.ts";
import { type CustomerRow, type CustomerTaxRows, findCustomersById, findCustomerTaxes } from "../../customers/index.ts";
import { type BilledSubscription, findBilledSubscriptions, findEndedSubscription } from "../../subscriptions/index.ts";
import { sumFeesOfPeriod } from "../look-ups/index.ts";
import { findFirstPrices, findPrices, type Prices } from "../prices/index.ts";
import { type EndedLife, findComingBack } from "../returned-days/index.ts";
import { findLinks, type InvoiceRow, type LinkRow } from "./store.ts";

/** A bill with its prices. */
export type LoadedBill = Omit<BilledSubscription, "occurredAt" | "writtenAt" | "testClockId" | "successorId"> & {
  /** For the ended period: usage, a fee in arrears, a commitment. */
  priceList: PriceList;
  /** For the new period: a fee in advance, renewed charges. Usually the same. */
  opening: PriceList;
  successor: PriceList | null;
  /** What counts toward its commitment and is billed elsewhere. */
  usedBeforeMinor: Minor;
};

export type Payer = {
  customer: CustomerRow;
  taxes: CustomerTaxRows;
  /** The customer's own grace period, else the organization's. */
  graceDays: number;
  netPaymentTermDays: number;
  timeZone: string;
  organization: Awaited<ReturnType<typeof findOrganization>>;
};

export type Billing = { invoice: InvoiceRow; bills: readonly LoadedBill[]; payer: Payer };

export async function loadBilling(batch: Batch, organizationId: string, invoice: InvoiceRow): Promise<Billing> {
  const bills = await loadBills(batch, organizationId, invoice.id);
  const payer = await loadPayer(batch, organizationId, invoice.customer_id, invoice.customer_tax_ids);
  // Bills of a deleted plan have no grace period.
  const isWaived = bills.some(({ isPlanDeleted }) => isPlanDeleted);
  return { invoice, bills, payer: isWaived ? { ...payer, graceDays: 0 } : payer };
}

/** Also for a deleted customer: its last invoices use the taxes that it had, without a grace period. */
export async function loadPayer(
  batch: Batch,
  organizationId: string,
  customerId: string,
  keptTaxIds: readonly string[] | null = null,
): Promise<Payer> {
  const [customer] = await findCustomersById(batch, organizationId, [customerId]);
  assert(customer, "an invoice has a customer");
  const organization = await findOrganization(batch, organizationId);
  const taxes = await findCustomerTaxes(batch, organizationId, customerId);
  return {
    customer,
    organization,
    taxes: {
      ...taxes,
      ...(keptTaxIds ? { customer: await findTaxesById(batch, organizationId, keptTaxIds) } : {}),
    },
    graceDays: customer.deleted_at ? 0 : (customer.invoice_grace_period ?? organization.invoice_grace_period),
    netPaymentTermDays: customer.net_payment_term ?? organization.net_payment_term,
    timeZone: customer.timezone ?? organization.timezone,
  };
}

/** The bills of an invoice. */
export async function loadBills(batch: Batch, organizationId: string, invoiceId: string): Promise<LoadedBill[]> {
  const links = await findLinks(batch, organizationId, [invoiceId]);
  const billed = await findBilledSubscriptions(
    batch,
    organizationId,
    links.map(({ bill_id }) => bill_id),
  );
  return priceBills(batch, organizationId, billed, new Map(links.map((link) => [link.bill_id, link])));
}

/** With their plans, and the amounts that count toward their commitments. Without a link: at the prices in force. */
export async function priceBills(
  batch: Batch,
  organizationId: string,
  billed: readonly BilledSubscription[],
  linkOf: ReadonlyMap<string, LinkRow>,
): Promise<LoadedBill[]> {
  const bills: LoadedBill[] = [];
  for (const { occurredAt: at, writtenAt: madeBy, testClockId, successorId, ...one } of billed) {
    const { subscriptionId } = one;
    const link = linkOf.get(one.billId);
    const prices =
      (link && pricesOf(link)) ?? (await findPrices(batch, organizationId, { subscriptionId, testClockId, at }));
    const change = successorId && { subscriptionId: successorId, testClockId, at, madeBy };
    const next = change ? await findFirstPrices(batch, organizationId, change) : null;
    const [priceList, opening] = await loadPrices(batch, organizationId, prices);
    bills.push({
      ...one,
      planId: prices.planId,
      priceList,
      opening,
      successor: next && (await loadVersion(batch, organizationId, next)),
      successorPlanId: next?.planId ?? null,
      usedBeforeMinor: priceList.plan.minimumCommitment ? await usedBefore(batch, organizationId, one) : minor(0n),
    });
  }
  return bills;
}

/** undefined: an earlier release wrote the bill without this. */
const pricesOf = ({ priced_plan_id: planId, priced_version: version, opening_version: openingVersion }: LinkRow) =>
  planId !== null && version !== null && openingVersion !== null ? { planId, version, openingVersion } : undefined;

/** The prices of the ended and of the new period. */
async function loadPrices(
  batch: Batch,
  organizationId: string,
  { planId, version, openingVersion }: Prices,
): Promise<[PriceList, PriceList]> {
  const ended = await loadVersion(batch, organizationId, { planId, version });
  if (openingVersion === version) return [ended, ended];
  return [ended, await loadVersion(batch, organizationId, { planId, version: openingVersion })];
}

async function usedBefore(
  batch: Batch,
  organizationId: string,
  { bill, subscriptionId, billId }: Pick<BilledSubscription, "bill" | "subscriptionId" | "billId">,
): Promise<Minor> {
  const { commitment } = bill;
  if (commitment === null) return minor(0n);
  const { from, to } = commitment;
  const period = { subscriptionId, from, to, exceptBillId: billId };
  const billed = await sumFeesOfPeriod(batch.tx, organizationId, period);
  if (bill.reason !== "terminating") return billed;
  const ended = await findEndedSubscription(batch, organizationId, subscriptionId);
  if (!ended) return billed;
  const life = { subscriptionId, ended, returned: bill.returned };
  return minor(billed - (await creditToCome(batch, organizationId, life)));
}

/** What will come back of the subscription's own fees. For fees on drafts, the credit note comes later, with the finalization of their invoice. */
export async function creditToCome(
  batch: Batch,
  organizationId: string,
  life: EndedLife,
  isToCome = (invoiceStatus: string | null): boolean => invoiceStatus === "draft",
): Promise<Minor> {
  const coming = await findComingBack(batch, organizationId, life);
  const waiting = coming.filter(
    ({ fee, invoiceStatus }) => fee.subscription_id === life.subscriptionId && isToCome(invoiceStatus),
  );
  return sumMinor(waiting.map(({ creditMinor }) => roundMinor(creditMinor)));
}
