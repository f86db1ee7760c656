/** The next invoice of a subscription, with everything billed together, from current data; and one that is about to be made. */
import assert from "node:assert/strict";
import { countedFor, finalizedDates, type InvoiceDates } from "@tallystick/core/invoicing";
import { type Minor, minor, sumMinor } from "@tallystick/core/money";
import type { Bill, Terminated } from "@tallystick/core/subscription";
import { Problem } from "../../../http/problem.ts";
import type { Clock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/new-id.ts";
import { alone, type Batch } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { describeNamedCustomers } from "../../customers/index.ts";
import {
  type BilledSubscription,
  describeSubscriptionsById,
  findComingInvoice,
  subscriptionErrors,
} from "../../subscriptions/index.ts";
import { shownNewFee, toApiFee } from "../fees/index.ts";
import type { NewCredit } from "../invoice-credits/index.ts";
import { findWaitingInvoice } from "../look-ups/index.ts";
import { decideInvoice, feesOf, taxRowsOf } from "./decide-invoice.ts";
import { invoiceErrors } from "./errors.ts";
import { feeRowsOf, paymentOf } from "./fee-rows.ts";
import {
  creditToCome,
  type LoadedBill,
  loadBilling,
  loadBills,
  loadPayer,
  type Payer,
  priceBills,
} from "./load-billing.ts";
import { firstStatusOf } from "./make-invoice.ts";
import { currencyOfBills, type Measured } from "./measure-bills.ts";
import { type ApiPreview, toApiPreview } from "./preview-to-api.ts";
import { creditsUsed, type InvoiceCredits, loadSpendable, type Spendable, showSpendable } from "./spendable.ts";
import { findAnyInvoice } from "./store.ts";

export type Preview = {
  organizationId: string;
  /** The bills of all subscriptions that are billed together. */
  bills: readonly LoadedBill[];
  /** By the id of a bill: bills that are made before it, whose fees count towards its commitment. */
  earlier: ReadonlyMap<string, readonly LoadedBill[]>;
  payer: Payer;
  /** By the id of a bill: what will come back of its own fees with the end, and so does not count towards its commitment. */
  comingBack: ReadonlyMap<string, Minor>;
  /** The instant of the invoice. */
  at: Temporal.Instant;
  /** As what it is made. */
  status: "draft" | "finalized";
  dates: InvoiceDates;
  spendable: Spendable;
  /** The credits that it may use, by owner. */
  shown: ReadonlyMap<string, NewCredit>;
  customer: ApiPreview["customer"];
  subscriptions: ApiPreview["subscriptions"];
};

export async function loadPreview(...of: Parameters<typeof findPreview>): Promise<Preview> {
  const found = await findPreview(...of);
  if (found instanceof Problem) throw found;
  return found;
}

/** `except`: invoices that are made before it. Without a next invoice, the reason. */
export async function findPreview(
  tx: Tx,
  credits: InvoiceCredits,
  organizationId: string,
  { externalId, except = [] }: { externalId: string; except?: readonly string[] },
): Promise<Preview | Problem> {
  const coming = await findComingInvoice(tx, organizationId, externalId);
  if (!coming) return subscriptionErrors.problem("subscription_not_found", [externalId]);
  const { customerId, next } = coming;
  const payer = await loadPayer(alone(tx), organizationId, customerId);
  const testClockId = payer.customer.test_clock_id;
  const price = (billed: readonly Omit<BilledSubscription, "testClockId">[]) =>
    priceBills(
      alone(tx),
      organizationId,
      billed.map((bill) => ({ ...bill, testClockId })),
      new Map(),
    );
  // What was billed already may wait for its instant, or for its last usage.
  const waiting = await findWaitingInvoice(tx, organizationId, { customerId, externalId, except });
  const at = waiting?.occurred_at ?? next?.at;
  if (!at) return invoiceErrors.problem("nothing_to_invoice");
  const bills = waiting ? await loadBills(alone(tx), organizationId, waiting.id) : await price(next?.bills ?? []);
  const earlier = new Map<string, LoadedBill[]>();
  const comingBack = new Map<string, Minor>();
  for (const one of next?.bills ?? []) {
    earlier.set(one.billId, await price(one.earlier));
    comingBack.set(one.billId, await creditWithEnd(alone(tx), organizationId, one));
  }
  const dates = finalizedDates(at, payer);
  return {
    ...{ organizationId, bills, earlier, comingBack, payer, at, status: "finalized", dates },
    ...(await loadShown(tx, credits, organizationId, { customerId, bills })),
  };
}

/** An invoice that a change has made due, in the form that it is made in: a draft if the customer has a grace period. */
export async function loadDue(
  tx: Tx,
  credits: InvoiceCredits,
  organizationId: string,
  invoiceId: string,
): Promise<Preview> {
  const invoice = await findAnyInvoice(alone(tx), organizationId, invoiceId);
  assert(invoice, "a bill has an invoice");
  const { bills, payer } = await loadBilling(alone(tx), organizationId, invoice);
  const { customer_id: customerId, occurred_at: at, time_zone } = invoice;
  const { newStatus, dates } = firstStatusOf({ invoice, payer }, time_zone ?? payer.timeZone);
  return {
    ...{ organizationId, bills, payer, at, status: newStatus.status, dates },
    ...{ earlier: new Map(), comingBack: new Map() },
    ...(await loadShown(tx, credits, organizationId, { customerId, bills })),
  };
}

async function loadShown(
  tx: Tx,
  credits: InvoiceCredits,
  organizationId: string,
  { customerId, bills }: { customerId: string; bills: readonly LoadedBill[] },
): Promise<Pick<Preview, "spendable" | "shown" | "customer" | "subscriptions">> {
  const customer = (await describeNamedCustomers(alone(tx), organizationId, [customerId])).get(customerId);
  assert(customer, "an invoice has a customer");
  const spendable = await loadSpendable(alone(tx), credits, organizationId, { customerId, isHeld: false });
  const subscriptionIds = bills.map(({ subscriptionId }) => subscriptionId);
  return {
    customer,
    spendable,
    shown: await showSpendable(tx, credits, organizationId, spendable),
    subscriptions: await describeSubscriptionsById(alone(tx), organizationId, subscriptionIds),
  };
}

/** All of whose usage an invoice needs. */
export const billsToMeasure = ({ bills, earlier }: Preview): LoadedBill[] => [
  ...bills,
  ...[...earlier.values()].flat(),
];

/** The credit note comes with the end, before the invoice. */
async function creditWithEnd(
  batch: Batch,
  organizationId: string,
  { subscriptionId, bill, ended }: { subscriptionId: string; bill: Bill; ended: Terminated | null },
): Promise<Minor> {
  if (ended === null) return minor(0n);
  return creditToCome(batch, organizationId, { subscriptionId, ended, returned: bill.returned }, () => true);
}

/** Uses the same steps as the invoice itself. */
export function decidePreview(
  { bills, earlier, comingBack, payer, at, status, spendable }: Preview,
  measured: Measured,
) {
  const code = currencyOfBills(bills);
  const id = newId();
  const terms = { id, currency: code, status, at, spendable };
  return { id, currency: code, decided: decideInvoice({ bills: bills.map(counted), payer }, measured, terms) };

  function counted(loaded: LoadedBill): LoadedBill {
    const { commitment } = loaded.bill;
    const fees = (earlier.get(loaded.billId) ?? []).flatMap((one) => feesOf(one, measured));
    if (commitment === null) return loaded;
    const used = sumMinor([loaded.usedBeforeMinor, countedFor(commitment, fees)]);
    return { ...loaded, usedBeforeMinor: minor(used - (comingBack.get(loaded.billId) ?? 0n)) };
  }
}

export function describePreview(
  preview: Preview,
  { id, currency: code, decided }: ReturnType<typeof decidePreview>,
  clock: Clock,
): ApiPreview {
  const { bills, payer, at, customer, shown } = preview;
  const inputs = { bills, payer };
  const externalIds = new Map(bills.map(({ subscriptionId, externalId }) => [subscriptionId, externalId]));
  const rows = feeRowsOf(decided, {
    invoiceId: id,
    customerId: payer.customer.id,
    bills,
    taxRows: taxRowsOf(inputs),
    payment: paymentOf(decided.invoice.paymentStatus, at),
  });
  return toApiPreview({
    ...preview,
    invoice: decided.invoice,
    currency: code,
    credits: creditsUsed(shown, decided.invoice),
    taxRows: taxRowsOf(inputs),
    fees: rows
      .filter(({ invoice_id }) => invoice_id !== null)
      .map((row) =>
        toApiFee(shownNewFee(row, clock.now()), {
          id: row.id,
          external_customer_id: customer.external_id,
          external_subscription_id: externalIds.get(row.subscription_id ?? "") ?? null,
          true_up_fee_id: rows.find((other) => other.true_up_parent_fee_id === row.id)?.id ?? null,
        }),
      ),
  });
}
