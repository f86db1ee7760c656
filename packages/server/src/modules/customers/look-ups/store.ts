/**
 * What customers have: amounts in their currency, and subscriptions on test clocks. This is the only place of the capability that reads
 * tables of the capabilities above it. It writes nothing.
 */
import { sql } from "kysely";
import type { Tx } from "../../../platform/postgres/database.ts";

/** Whether the currency is fixed: amounts in it were agreed or billed. */
export async function hasAmounts(tx: Tx, organizationId: string, customerId: string): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from subscriptions where organization_id = ${organizationId} and customer_id = ${customerId})
      or exists (select from invoices where organization_id = ${organizationId} and customer_id = ${customerId})
      or exists (
        select from applied_coupons
        where organization_id = ${organizationId} and customer_id = ${customerId} and amount_currency is not null
      )
      or exists (select from wallets where organization_id = ${organizationId} and customer_id = ${customerId}) as has`.execute(
    tx,
  );
  return rows[0]?.has === true;
}

/** The time of the test clocks of live subscriptions with these external ids. The other subscriptions are on the real clock. */
export const findClocksOfSubscriptions = (tx: Tx, organizationId: string, externalIds: readonly string[]) =>
  tx
    .selectFrom("subscriptions")
    .innerJoin("customers", (join) =>
      join
        .onRef("customers.organization_id", "=", "subscriptions.organization_id")
        .onRef("customers.id", "=", "subscriptions.customer_id"),
    )
    .innerJoin("test_clocks", (join) =>
      join
        .onRef("test_clocks.organization_id", "=", "customers.organization_id")
        .onRef("test_clocks.id", "=", "customers.test_clock_id"),
    )
    .select(["subscriptions.external_id", "test_clocks.now"])
    .where("subscriptions.organization_id", "=", organizationId)
    .where("subscriptions.external_id", "=", sql<string>`any(${externalIds}::text[])`)
    .where("subscriptions.status", "in", ["active", "pending"])
    .execute();
