/** A new bill creates its invoice and makes it due. Bills of one occasion share an invoice. */
import assert from "node:assert/strict";
import { type DueRegistry, scheduleDue } from "../../../jobs/due.ts";
import type { Clock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/new-id.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import { askToCatchUp } from "../../customers/index.ts";
import type { WrittenBill } from "../../subscriptions/index.ts";
import { findPrices } from "../prices/index.ts";
import { INVOICE_DUE } from "./due-names.ts";
import { readyUnlessPaused } from "./pause-billing.ts";
import { linkBills, openInvoiceRow } from "./store.ts";

export const openInvoice =
  (clock: Clock) =>
  async (batch: Batch, organizationId: string, bill: WrittenBill, registry: DueRegistry): Promise<void> => {
    const { customer, subscriptionId, occurredAt, readyAt, pricedAt } = bill;
    const { testClockId } = customer;
    const invoice = await openInvoiceRow(batch, organizationId, {
      id: newId(),
      customerId: customer.id,
      invoiceKey: keyOf(bill),
      occurredAt,
      createdAt: testClockId === null ? clock.now() : occurredAt,
    });
    assert(invoice.status === "generating", "all bills of an occasion are written before its invoice is made");
    const prices = await findPrices(batch, organizationId, { subscriptionId, testClockId, at: pricedAt });
    const link = {
      bill_id: bill.id,
      invoice_id: invoice.id,
      subscription_id: subscriptionId,
      priced_plan_id: prices.planId,
      priced_version: prices.version,
      opening_version: prices.openingVersion,
    };
    await linkBills(batch, organizationId, [link]);
    await scheduleDue(batch, registry, organizationId, {
      kind: INVOICE_DUE,
      subjectId: invoice.id,
      customer,
      dueAt: occurredAt,
      readyAt: await readyUnlessPaused(batch, organizationId, testClockId, readyAt),
    });
    if (testClockId !== null) await askToCatchUp(batch.tx, organizationId, testClockId);
  };

/**
 * A first fee has its own invoice. It has the same key as an end, and on a test clock both may be at one instant. Without this rule,
 * sharing would depend on how soon the first invoice is created.
 */
const keyOf = ({ id, reason, subscriptionId, invoiceKey }: WrittenBill): string =>
  invoiceKey === subscriptionId && reason !== "terminating" ? id : invoiceKey;
