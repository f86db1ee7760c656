/** POST /invoices/preview: the next invoice of a subscription, as if its period ended with what is known now. Nothing is stored. */
import assert from "node:assert/strict";
import { finalizedDates } from "@tallystick/core/invoicing";
import { currency, minor } from "@tallystick/core/money";
import { periodicBill } from "@tallystick/core/subscription";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/new-id.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { describeNamedCustomers } from "../customers/index.ts";
import { type ApiFee, type NewFee, sumFeesOfPeriod, toApiFee } from "../fees/index.ts";
import type { NewCredit } from "../invoice-credits/index.ts";
import { findPrices } from "../price-versions/index.ts";
import { describeSubscriptionsById, findActiveSubscription, subscriptionErrors } from "../subscriptions/index.ts";
import { decideInvoice, taxRowsOf } from "./decide-invoice.ts";
import { feeRowsOf, paymentOf } from "./fee-rows.ts";
import { type LoadedBill, loadPayer, loadPrices, type Payer } from "./load-billing.ts";
import type { Measured } from "./measure-bills.ts";
import { type ApiPreview, toApiPreview } from "./preview-to-api.ts";
import { type InvoiceCredits, loadSpendable, type Spendable } from "./spendable.ts";

export type Preview = {
  organizationId: string;
  bill: LoadedBill;
  payer: Payer;
  /** The end of the open period. */
  at: Temporal.Instant;
  spendable: Spendable;
  customer: ApiPreview["customer"];
  subscriptions: ApiPreview["subscriptions"];
};

export async function loadPreview(
  tx: Tx,
  credits: InvoiceCredits,
  organizationId: string,
  externalId: string,
): Promise<Preview> {
  const found = await findActiveSubscription(tx, organizationId, externalId);
  if (!found) throw subscriptionErrors.problem("subscription_not_found");
  const { id: subscriptionId, customerId, active } = found;
  const payer = await loadPayer(tx, organizationId, customerId);
  const at = active.open.charges.to;
  const occasion = { subscriptionId, testClockId: payer.customer.test_clock_id, at };
  const prices = await findPrices(tx, organizationId, occasion);
  const [priceList, opening] = await loadPrices(tx, organizationId, prices);
  const bill = periodicBill(active);
  const { commitment } = bill;
  const billId = newId();
  const usedBeforeMinor = commitment
    ? await sumFeesOfPeriod(tx, organizationId, {
        subscriptionId,
        from: commitment.from,
        to: commitment.to,
        exceptBillId: billId,
      })
    : minor(0n);
  const customer = (await describeNamedCustomers(tx, organizationId, [customerId])).get(customerId);
  assert(customer, "a subscription has a customer");
  return {
    organizationId,
    bill: {
      billId,
      subscriptionId,
      externalId,
      planId: prices.planId,
      firstStartedAt: active.firstStartedAt,
      successorPlanId: null,
      bill,
      priceList,
      opening,
      successor: null,
      usedBeforeMinor,
    },
    payer,
    at,
    spendable: await loadSpendable(tx, credits, organizationId, { customerId, isHeld: false }),
    customer,
    subscriptions: await describeSubscriptionsById(tx, organizationId, [subscriptionId]),
  };
}

/** By the same steps as the invoice itself, finalized at the end of the period. */
export function decidePreview({ bill, payer, at, spendable }: Preview, measured: Measured) {
  const code = currency(bill.priceList.plan.currency);
  const id = newId();
  const terms = { id, currency: code, status: "finalized", at, spendable } as const;
  return { id, currency: code, decided: decideInvoice({ bills: [bill], payer }, measured, terms) };
}

type DecidedPreview = ReturnType<typeof decidePreview> & { credits: readonly NewCredit[] };

export function describePreview(
  preview: Preview,
  { id, currency: code, decided, credits }: DecidedPreview,
  clock: Clock,
): ApiPreview {
  const { bill, payer, at, customer } = preview;
  const inputs = { bills: [bill], payer };
  const rows = feeRowsOf(decided, {
    invoiceId: id,
    customerId: payer.customer.id,
    bills: [bill],
    taxRows: taxRowsOf(inputs),
    payment: paymentOf(decided.invoice.paymentStatus, at),
  });
  const { timeZone, netPaymentTermDays } = payer;
  return toApiPreview({
    ...preview,
    invoice: decided.invoice,
    currency: code,
    credits,
    dates: finalizedDates(at, { timeZone, netPaymentTermDays }),
    taxRows: taxRowsOf(inputs),
    fees: rows
      .filter(({ invoice_id }) => invoice_id !== null)
      .map((row) =>
        toApiFeeOf(row, rows, {
          externalId: bill.externalId,
          externalCustomerId: customer.external_id,
          now: clock.now(),
        }),
      ),
  });
}

type Shown = { externalId: string; externalCustomerId: string; now: Temporal.Instant };

/** As it would be stored, read back. */
function toApiFeeOf(row: NewFee, rows: readonly NewFee[], { externalId, externalCustomerId, now }: Shown): ApiFee {
  const stored = {
    ...row,
    item: JSON.parse(String(row.item)),
    grouped_by: JSON.parse(String(row.grouped_by)),
    derivation: JSON.parse(String(row.derivation)),
    organization_id: "",
    event_id: null,
    event_transaction_id: null,
    deleted_at: null,
    created_at: now,
  };
  return toApiFee(stored as unknown as Parameters<typeof toApiFee>[0], {
    id: row.id,
    external_customer_id: externalCustomerId,
    external_subscription_id: externalId,
    true_up_fee_id: rows.find((other) => other.true_up_parent_fee_id === row.id)?.id ?? null,
  });
}
