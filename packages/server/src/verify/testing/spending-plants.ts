/** Plants of the invariants about the order of spending and about deleted customers. */
import { GONE, id } from "./names.ts";
import { copy, NEW, type Plant } from "./statements.ts";
import { GRANTED, VOIDED, WALLET } from "./wallet-world.ts";

const NOTE = id(404);

/** An untouched lot of 1.00 that was granted on a given day. */
const lotOf = (day: string): string => `
  ${copy("wallet_transactions", `id = '${GRANTED}'`, { id: NEW, amount_cents: 100, credit_amount: 1, remaining_amount_cents: 100, created_at: day, settled_at: day })};
  ${copy("outbox", `object_id = '${GRANTED}'`, { id: NEW, object_id: NEW })};
  insert into ledger_entries select (jsonb_populate_record(entry, jsonb_build_object('id', gen_random_uuid(),
    'transfer_id', '${NEW}', 'source_id', '${NEW}', 'amount_cents', sign(amount_cents) * 100))).*
    from ledger_entries entry where source_id = '${GRANTED}';
  update wallets set balance_cents = 600 where id = '${WALLET}'`;

/** Credits one cent to the note, and debits it again. */
const returned = (source: string, sign: 1 | -1): string => `
  insert into ledger_entries select (jsonb_populate_record(entry, jsonb_build_object('id', gen_random_uuid(),
    'transfer_id', md5('${source}')::uuid, 'source_kind', '${source}', 'source_id', '${NEW}', 'customer_id', '${GONE}',
    'created_at', now(), 'amount_cents', ${sign} * sign(amount_cents)))).*
    from ledger_entries entry where account_id = '${NOTE}' and source_kind = 'credit_note'`;

export const spendingPlants: Readonly<Record<string, readonly Plant[]>> = {
  "credits-are-spent-in-order": [
    ["an older lot is left", lotOf("2024-03-01")],
    [
      "a refund takes from another lot",
      `update wallet_transactions set credit_note_id = '${NOTE}' where id = '${VOIDED}'`,
    ],
  ],
  "deleted-customers-get-nothing-back": [
    ["a note gets its value back", `${returned("invoice_void", 1)}; ${returned("planted", -1)}`],
  ],
};

export const spendingFalseAlarms: readonly Plant[] = [["a lot was granted after it was spent", lotOf("2024-04-02")]];
