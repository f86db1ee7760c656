/** What happened to a customer, in the order in which the database wrote it down. */
import type { Records } from "../invoice-checks.ts";

export type Happening = {
  what:
    | "finalize"
    | "pay"
    | "bounce"
    | "write off"
    | "void"
    | "credit"
    | "void note"
    | "open wallet"
    | "change expiration"
    | "end wallet"
    | "move credits"
    | "apply coupon"
    | "end coupon";
  id: string;
  /** Of one transaction. */
  transaction: string;
  /** When that was, or is to be, in microseconds; null where it does not matter. */
  at: bigint | null;
  /** How much is written off. */
  cents: string | null;
};

/** Credits move at the instant of their entry, or of the invoice that is to be paid for them. */
const JOURNAL = `
  select journal.customer_id, journal.what, journal.id, journal.transaction::text, journal.cents::text,
    (extract(epoch from coalesce(journal.at, entry.occurred_at, purchase.occurred_at)) * 1000000)::bigint::text as at
  from prove.journal journal
  left join wallet_transactions moved on journal.what = 'move credits' and moved.id = journal.id
  left join ledger_entries entry on entry.organization_id = moved.organization_id and entry.account_kind = 'wallet'
    and entry.account_id = moved.wallet_id and entry.source_id = moved.id and moved.transaction_status <> 'purchased'
  left join invoices purchase on purchase.organization_id = moved.organization_id and purchase.id = moved.invoice_id
  where journal.customer_id = any($1::uuid[]) and journal.what <> 'entry'
  order by journal.number`;

type Row = Omit<Happening, "at"> & { customer_id: string; at: string | null };

export async function readJournal(
  records: Records,
  customerIds: readonly string[],
): Promise<ReadonlyMap<string, Happening[]>> {
  const { rows } = await records.query<Row>(JOURNAL, [customerIds]);
  const happenings = rows.map(({ at, ...row }) => ({ ...row, at: at === null ? null : BigInt(at) }));
  return Map.groupBy(happenings, ({ customer_id }) => customer_id);
}
