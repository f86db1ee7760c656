/** All that an invoice of bills is made from, except usage: read for preparing it, and again under the customer's lock. */
import assert from "node:assert/strict";
import { type Minor, minor, roundMinor, sumMinor } from "@tallystick/core/money";
import type { Tx } from "../../platform/postgres/database.ts";
import { type CustomerRow, type CustomerTaxRows, findCustomersById, findCustomerTaxes } from "../customers/index.ts";
import { sumFeesOfPeriod } from "../fees/index.ts";
import { findOrganization } from "../organizations/index.ts";
import { loadPriceList, type PriceList } from "../plans/index.ts";
import { findComingBack } from "../returned-days/index.ts";
import { type BilledSubscription, findBilledSubscriptions, findEndedSubscription } from "../subscriptions/index.ts";
import { findTaxesById } from "../taxes/index.ts";
import { findLinks, type InvoiceRow } from "./store.ts";

/** A bill with the plans that price it, as they are now. */
export type LoadedBill = BilledSubscription & {
  priceList: PriceList;
  successor: PriceList | null;
  /** What counts against its commitment and stands elsewhere. */
  usedBeforeMinor: Minor;
};

export type Payer = {
  customer: CustomerRow;
  taxes: CustomerTaxRows;
  /** Its own, else the organization's. */
  graceDays: number;
  netPaymentTermDays: number;
  timeZone: string;
  organization: Awaited<ReturnType<typeof findOrganization>>;
};

export type Billing = { invoice: InvoiceRow; bills: readonly LoadedBill[]; payer: Payer };

export async function loadBilling(tx: Tx, organizationId: string, invoice: InvoiceRow): Promise<Billing> {
  return {
    invoice,
    bills: await loadBills(tx, organizationId, invoice.id),
    payer: await loadPayer(tx, organizationId, invoice.customer_id, invoice.customer_tax_ids),
  };
}

/** Also one that was deleted: its last invoices come after that, with the taxes it had, and nothing is left to wait for. */
export async function loadPayer(
  tx: Tx,
  organizationId: string,
  customerId: string,
  keptTaxIds: readonly string[] | null = null,
): Promise<Payer> {
  const [customer] = await findCustomersById(tx, organizationId, [customerId]);
  assert(customer, "an invoice has a customer");
  const organization = await findOrganization(tx, organizationId);
  const taxes = await findCustomerTaxes(tx, organizationId, customerId);
  return {
    customer,
    organization,
    taxes: {
      ...taxes,
      ...(keptTaxIds ? { customer: await findTaxesById(tx, organizationId, keptTaxIds) } : {}),
    },
    graceDays: customer.deleted_at ? 0 : (customer.invoice_grace_period ?? organization.invoice_grace_period),
    netPaymentTermDays: customer.net_payment_term ?? organization.net_payment_term,
    timeZone: customer.timezone ?? organization.timezone,
  };
}

/** Of an invoice. */
export async function loadBills(tx: Tx, organizationId: string, invoiceId: string): Promise<LoadedBill[]> {
  const links = await findLinks(tx, organizationId, [invoiceId]);
  const billed = await findBilledSubscriptions(
    tx,
    organizationId,
    links.map(({ bill_id }) => bill_id),
  );
  const priceListOf = priceListsOf(tx, organizationId);
  const bills: LoadedBill[] = [];
  for (const one of billed) {
    const priceList = await priceListOf(one.planId);
    bills.push({
      ...one,
      priceList,
      successor: one.successorPlanId === null ? null : await priceListOf(one.successorPlanId),
      usedBeforeMinor: priceList.plan.minimumCommitment ? await usedBefore(tx, organizationId, one) : minor(0n),
    });
  }
  return bills;
}

/** Each plan is read once. */
export function priceListsOf(tx: Tx, organizationId: string): (planId: string) => Promise<PriceList> {
  const known = new Map<string, PriceList>();
  return async (planId) => {
    const priceList = known.get(planId) ?? (await loadPriceList(tx, organizationId, planId));
    known.set(planId, priceList);
    return priceList;
  };
}

async function usedBefore(
  tx: Tx,
  organizationId: string,
  { bill, subscriptionId, billId }: BilledSubscription,
): Promise<Minor> {
  const { commitment } = bill;
  if (commitment === null) return minor(0n);
  const { from, to } = commitment;
  const period = { subscriptionId, from, to, exceptBillId: billId };
  const billed = await sumFeesOfPeriod(tx, organizationId, period);
  if (bill.reason !== "terminating") return billed;
  return minor(billed - (await creditToCome(tx, organizationId, { subscriptionId, bill })));
}

/** Of fees on invoices that are not final the note is made later, with the invoice that makes them so. */
async function creditToCome(
  tx: Tx,
  organizationId: string,
  { subscriptionId, bill }: Pick<BilledSubscription, "subscriptionId" | "bill">,
): Promise<Minor> {
  const ended = await findEndedSubscription(tx, organizationId, subscriptionId);
  if (!ended) return minor(0n);
  const life = { subscriptionId, ended, returned: bill.returned };
  const coming = await findComingBack(tx, organizationId, life);
  const waiting = coming.filter(
    ({ fee, invoiceStatus }) => fee.subscription_id === subscriptionId && invoiceStatus === "draft",
  );
  return sumMinor(waiting.map(({ creditMinor }) => roundMinor(creditMinor)));
}
