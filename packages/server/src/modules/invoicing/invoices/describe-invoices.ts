/** Invoices in their API form, in a constant number of queries. */
import assert from "node:assert/strict";
import type { Batch } from "../../../platform/postgres/batch.ts";
import { findOrganization } from "../../accounts/index.ts";
import { describeNamedCustomers } from "../../customers/index.ts";
import { describeSubscriptionsById } from "../../subscriptions/index.ts";
import { describeFees, findFeesOfInvoices } from "../fees/index.ts";
import { findInvoiceCredits, toApiCredit } from "../invoice-credits/index.ts";
import { findInvoiceMetadata, findInvoiceTaxes, findLinks, type InvoiceRow } from "./store.ts";
import { type ApiExtendedInvoice, type ApiInvoice, toApiInvoice } from "./to-api.ts";

/** The list form, without fees and credits. */
export async function describeInvoices(
  batch: Batch,
  organizationId: string,
  rows: readonly InvoiceRow[],
): Promise<ApiInvoice[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const customerIds = [...new Set(rows.map(({ customer_id }) => customer_id))];
  const customers = await describeNamedCustomers(batch, organizationId, customerIds);
  const taxes = Map.groupBy(await findInvoiceTaxes(batch, organizationId, ids), ({ invoice_id }) => invoice_id);
  const metadata = Map.groupBy(await findInvoiceMetadata(batch, organizationId, ids), ({ invoice_id }) => invoice_id);
  const { document_number_prefix: prefix } = await findOrganization(batch, organizationId);
  return rows.map((row) => {
    const customer = customers.get(row.customer_id);
    assert(customer, "an invoice has a customer");
    return toApiInvoice(row, {
      customer,
      taxes: taxes.get(row.id) ?? [],
      metadata: metadata.get(row.id) ?? [],
      prefix,
    });
  });
}

/** Includes subscriptions, fees and credits. */
export async function describeInvoice(
  batch: Batch,
  organizationId: string,
  row: InvoiceRow,
): Promise<ApiExtendedInvoice> {
  const [invoice] = await describeInvoices(batch, organizationId, [row]);
  assert(invoice, "a row has a description");
  const links = await findLinks(batch, organizationId, [row.id]);
  const fees = await findFeesOfInvoices(batch, organizationId, [row.id]);
  // Fees in advance have no bill.
  const named = [...links, ...fees].flatMap(({ subscription_id }) => subscription_id ?? []);
  const subscriptionIds = [...new Set(named)];
  return {
    ...invoice,
    subscriptions: await describeSubscriptionsById(batch, organizationId, subscriptionIds),
    fees: await describeFees(batch, organizationId, fees, { withTaxes: false }),
    credits: (await findInvoiceCredits(batch, organizationId, [row.id])).map((credit) => toApiCredit(credit, row)),
  };
}
