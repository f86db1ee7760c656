/** All SQL on invoices that return days. It reads fees and changes none. */
import { sql } from "kysely";
import { batchedRows } from "../../../platform/postgres/batch.ts";

/** Subscriptions that ended by a plan change and return days of charges that invoices bill in advance. */
export const findReturning = batchedRows<{ invoice_id: string; subscription_id: string; windows: unknown }>(
  async (tx, organizationId, invoiceIds) => {
    const { rows } = await sql<{ invoice_id: string; subscription_id: string; windows: unknown }>`
      select distinct on (fee.invoice_id, ended.id) fee.invoice_id, ended.id as subscription_id, bill.windows
      from fees fee
      join subscriptions own on own.organization_id = fee.organization_id and own.id = fee.subscription_id
      join subscriptions ended on ended.organization_id = own.organization_id and ended.customer_id = own.customer_id
        and ended.external_id = own.external_id and ended.terminated_at < fee.to_at
      join bills bill on bill.organization_id = ended.organization_id and bill.subscription_id = ended.id
        and bill.reason = 'terminating' and jsonb_array_length(coalesce(bill.windows -> 'returned', '[]')) > 0
      where fee.organization_id = ${organizationId} and fee.invoice_id = any(${invoiceIds}::uuid[])
        and fee.fee_type = 'charge' and fee.pay_in_advance
      order by fee.invoice_id, ended.id`.execute(tx);
    return rows;
  },
  ({ invoice_id }) => invoice_id,
);
