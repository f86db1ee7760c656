/**
 * Which documents may have changed since they were read: a mark of the rows behind each list, for one statement that costs less than the lists.
 * It saves reading only. At the end of a life everything is read again and must be what was believed (`staleDocuments`).
 */
import type pg from "pg";

/** What is read as one. */
const LISTS = ["invoices", "notes", "wallets", "transactions", "coupons", "subscriptions", "alone"] as const;
export type List = (typeof LISTS)[number];
/** Beside each list whether wallets wait to be measured again. */
export type Marks = Readonly<Record<List, string>> & { readonly refreshes: string };

const TABLES: Readonly<Record<List, readonly string[]>> = {
  invoices: ["invoices", "invoice_credits", "invoice_write_offs", "ledger_entries", "fees"],
  notes: ["credit_notes"],
  wallets: ["wallets", "wallet_rules"],
  transactions: ["wallet_transactions", "wallet_lot_movements"],
  coupons: ["applied_coupons", "invoice_credits"],
  subscriptions: ["subscriptions", "subscription_periods", "plans", "test_clocks"],
  alone: ["fees", "ledger_entries"],
};
/** What stands behind no document, or behind what no check looks at. Any other table is behind each list. */
const ASIDE =
  /^(add_on|advance_|api_keys|billable_metrics|bills$|charge|commitment|counted_|counters|coupons|coupon_|credit_note_|customer|document|due_|event|fee_taxes|idempotency|invoice_bills|invoice_metadata|invoice_taxes|kept_|logos|mail|minimum_|organizations|outbox|parked_|plan_|relay_|rollup_|second_|taxes|wallet_cursors|wallet_refreshes|webhook_|worker_)/;

export type ReadMarks = (organizationId: string) => Promise<Marks>;

/** The tables are asked of the database, so that one that is added later is not forgotten. */
export async function marksOf(pool: pg.Pool): Promise<ReadMarks> {
  const { rows } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and column_name = 'organization_id' and table_type = 'BASE TABLE' order by 1`,
  );
  const named = new Set(Object.values(TABLES).flat());
  const found = rows.map(({ name }) => name);
  const common = found.filter((name) => !named.has(name) && !ASIDE.test(name));
  const counted = found.filter((name) => named.has(name) || common.includes(name));
  const members = counted.map(
    (name) =>
      `(select count(*) || ' ' || coalesce(sum(xmin::text::bigint), 0) from ${name} where organization_id = $1) as "${name}"`,
  );
  members.push(`(select count(*) from wallet_refreshes where organization_id = $1)::text as refreshes`);
  const text = `select ${members.join(", ")}`;
  return async (organizationId) => {
    const answer = await pool.query<Record<string, string>>({ name: "marks", text, values: [organizationId] });
    const row = answer.rows[0] ?? {};
    const marks = LISTS.map((list) => [list, [...TABLES[list], ...common].map((name) => row[name]).join("; ")]);
    return { ...Object.fromEntries(marks), refreshes: row.refreshes ?? "0" };
  };
}
