/** A wallet with a rule, for the clean database, and plants that break its promises. */
import { id, PAID, PERSONAL, SPENDER } from "./names.ts";
import { CHANGED, CREATED, day, due, message, type Row, row, transfer } from "./rows.ts";
import { copy, NEW, openDue, type Plant } from "./statements.ts";

/** 10.00 were granted, 3.00 voided, and 2.00 used on an invoice. */
export const [WALLET, GRANTED, VOIDED, USED] = [id(441), id(443), id(444), id(445)];
const RULE = id(442);
const AT = day("2024-04-01");

function transaction(
  transactionId: string,
  kind: "granted" | "voided" | "invoiced",
  amount: number,
  invoice_id: string | null = null,
): Row[] {
  const isInbound = kind === "granted";
  const accounts = isInbound ? { from: kind, to: "wallet" } : { from: "wallet", to: kind };
  return [
    row("wallet_transactions", {
      id: transactionId,
      wallet_id: WALLET,
      customer_id: SPENDER,
      transaction_type: isInbound ? "inbound" : "outbound",
      transaction_status: kind,
      status: "settled",
      source: "manual",
      amount_cents: amount,
      credit_amount: amount / 100,
      invoice_id,
      settled_at: AT,
      created_at: AT,
      remaining_amount_cents: isInbound ? 500 : 0,
      withheld_amount_cents: 0,
      predates_lots: false,
    }),
    ...(isInbound
      ? []
      : [row("wallet_lot_movements", { transaction_id: transactionId, lot_id: GRANTED, amount_cents: -amount })]),
    ...transfer(transactionId, { ...accounts, of: WALLET, amount, source: ["wallet_transaction", transactionId] }),
    ...message(transactionId, "wallet_transaction.created"),
  ];
}

export const walletWorld: readonly Row[] = [
  row("wallets", {
    id: WALLET,
    customer_id: SPENDER,
    name: PERSONAL,
    status: "active",
    currency: "EUR",
    rate_amount: 1,
    priority: 1,
    balance_cents: 500,
    consumed_amount_cents: 200,
    consumed_credits: 2,
    ongoing_usage_cents: 0,
    is_depleted: false,
    initial_paid_credits: 0,
    initial_granted_credits: 10,
    expiration_at: day("2024-12-01"),
    ...CHANGED,
  }),
  row("wallet_rules", {
    id: RULE,
    wallet_id: WALLET,
    status: "active",
    trigger: "interval",
    interval: "monthly",
    method: "fixed",
    paid_credits: 0,
    granted_credits: 10,
    ...CREATED,
  }),
  ...due(WALLET, "wallet_expiry", day("2024-12-01"), { of: SPENDER }),
  ...due(RULE, "wallet_top_up", day("2024-05-01"), { of: SPENDER }),
  ...transaction(GRANTED, "granted", 1000),
  ...transaction(VOIDED, "voided", 300),
  ...transaction(USED, "invoiced", 200, PAID),
  row("wallet_cursors", { positions: [3, 1], ready_at: AT, attempts: 0 }),
];

const NOTHING = { balance_cents: 0, consumed_amount_cents: 0, consumed_credits: 0, expiration_at: null };

/** Another wallet, with no balance and nothing scheduled. */
export const copyOfWallet = (changes: object): string =>
  copy("wallets", `id = '${WALLET}'`, { id: NEW, ...NOTHING, ...changes });

const of = (transactionId: string): string => `source_id = '${transactionId}'`;
export const changeWallet = (columns: string): string => `update wallets set ${columns} where id = '${WALLET}'`;
export const changeLot = (columns: string): string =>
  `update wallet_transactions set ${columns} where id = '${GRANTED}'`;
/** The lot was bought with an unpaid invoice. */
const BOUGHT = changeLot(`transaction_status = 'purchased', invoice_id = '${PAID}'`);
/** The rest of the lot left the wallet because the payment bounced. */
const BOUNCED = `
  ${copy("wallet_transactions", `id = '${VOIDED}'`, { id: NEW, amount_cents: 500, invoice_id: PAID, corrects_transaction_id: GRANTED })};
  ${copy("wallet_lot_movements", `transaction_id = '${VOIDED}'`, { transaction_id: NEW, amount_cents: -500 })};
  ${copy("outbox", `object_id = '${VOIDED}'`, { id: NEW, object_id: NEW })};
  insert into ledger_entries select (jsonb_populate_record(entry, jsonb_build_object('id', gen_random_uuid(),
    'transfer_id', '${NEW}', 'source_id', '${NEW}', 'amount_cents', sign(amount_cents) * 500))).*
    from ledger_entries entry where ${of(VOIDED)};
  ${changeWallet("balance_cents = 0")}`;
const entryOf = (sign: string, entryId: string): string =>
  copy("ledger_entries", `${of(GRANTED)} and amount_cents ${sign} 0`, {
    id: entryId,
    transfer_id: NEW,
    account_id: NEW,
    source_kind: "planted",
  });

/** The invoice's coupon and note are given back; its credits should be too. */
const VOID = `
  update invoices set status = 'voided', voided_at = '${AT}' where id = '${PAID}';
  insert into ledger_entries
    select (jsonb_populate_record(entry, jsonb_build_object('id', gen_random_uuid(), 'source_kind', 'invoice_void',
      'transfer_id', entry.account_id, 'amount_cents', -amount_cents))).*
    from ledger_entries entry where source_kind = 'invoice' and source_id = '${PAID}';
  update applied_coupons set amount_left_cents = 1000;
  update credit_notes set balance_amount_cents = 300`;

export const walletPlants: Readonly<Record<string, readonly Plant[]>> = {
  "ledger-balances-are-not-negative": [
    [
      "more was voided than there was",
      `alter table wallets drop constraint wallets_balance_cents_check; ${changeWallet("balance_cents = -500")};
       alter table wallet_transactions drop constraint wallet_transactions_remaining_amount_cents_check;
       update wallet_transactions set amount_cents = 1300 where id = '${VOIDED}'; ${changeLot("remaining_amount_cents = -500")};
       update wallet_lot_movements set amount_cents = -1300 where transaction_id = '${VOIDED}';
       update ledger_entries set amount_cents = sign(amount_cents) * 1300 where ${of(VOIDED)}`,
    ],
  ],
  "wallet-balances-are-sums": [
    ["only the balance was changed", changeWallet("balance_cents = 501")],
    ["the used amount has no invoice", changeWallet("consumed_amount_cents = 201, consumed_credits = 2.01")],
    ["an account has no owner", `${entryOf("<", NEW)}; ${entryOf(">", id(901))}`],
  ],
  "wallet-credits-move-once": [
    [
      "a transaction moved another amount",
      `update ledger_entries set amount_cents = 2 * amount_cents where ${of(GRANTED)}; ${changeWallet("balance_cents = 1500")}`,
    ],
    [
      "a transaction moved nothing",
      `delete from ledger_entries where ${of(VOIDED)}; ${changeWallet("balance_cents = 800")}`,
    ],
    [
      "a transaction is gone",
      `delete from wallet_transactions where id = '${VOIDED}'; delete from outbox where object_id = '${VOIDED}'`,
    ],
    [
      "an invoice was paid from no wallet",
      `update invoices set prepaid_credit_amount_cents = 300, total_amount_cents = 200 where id = '${PAID}'`,
    ],
    ["an invoice was voided and gave no credits back", VOID],
  ],
  "wallet-lots-add-up": [
    ["a lot shows more than is left of it", changeLot("remaining_amount_cents = 501")],
    [
      "a use took nothing from a lot",
      `delete from wallet_lot_movements where transaction_id = '${USED}'; ${changeLot("remaining_amount_cents = 700")}`,
    ],
    [
      "an ended wallet has a lot",
      `${changeWallet("status = 'terminated', terminated_at = '2024-04-02T00:00:00Z', balance_cents = 0")};
       update wallet_rules set status = 'terminated', terminated_at = created_at;
       delete from due_instants where kind in ('wallet_expiry', 'wallet_top_up');
       insert into ledger_entries select (jsonb_populate_record(entry, jsonb_build_object('id', gen_random_uuid(),
         'transfer_id', '${NEW}', 'source_kind', 'wallet_end', 'amount_cents', sign(amount_cents) * 500))).*
         from ledger_entries entry where ${of(VOIDED)}`,
    ],
  ],
  "purchases-follow-payment": [
    ["a purchase that is not paid holds credits", BOUGHT],
    [
      "more is withheld than left the wallet",
      `${BOUGHT}; ${BOUNCED}; ${changeLot("remaining_amount_cents = 0, withheld_amount_cents = 501, bounced_at = now()")}`,
    ],
    [
      "less comes back than left the wallet",
      `${BOUGHT}; ${BOUNCED}; ${changeLot("remaining_amount_cents = 0, withheld_amount_cents = 499, bounced_at = now()")};
       ${changeWallet("expiration_at = null")}; delete from due_instants where ${openDue(WALLET, "wallet_expiry")}`,
    ],
    [
      "a purchase that is paid is marked as bounced",
      `${BOUGHT}; ${BOUNCED}; ${changeLot("remaining_amount_cents = 0, withheld_amount_cents = 500, bounced_at = now()")};
       update invoices set payment_status = 'succeeded' where id = '${PAID}'`,
    ],
  ],
  "write-offs-are-due": [
    [
      "the written-off amount has no write-off",
      `update invoices set written_off_amount_cents = 1 where id = '${PAID}'`,
    ],
    [
      "a write-off has no invoice",
      `insert into invoice_write_offs select organization_id, id, '${NEW}', 1, 'none', created_at, created_at
         from invoices where id = '${PAID}'`,
    ],
  ],
  "wallet-transactions-are-told": [
    ["a transaction was not published", `delete from outbox where object_id = '${GRANTED}'`],
    ["a message has no transaction", `update outbox set object_id = '${NEW}' where object_id = '${GRANTED}'`],
  ],
  "wallet-work-is-scheduled": [
    ["an end is not scheduled", `delete from due_instants where ${openDue(WALLET, "wallet_expiry")}`],
    ["an end is scheduled for another instant", changeWallet("expiration_at = '2024-12-02T00:00:00Z'")],
    ["a top-up is not scheduled", `delete from due_instants where ${openDue(RULE, "wallet_top_up")}`],
    [
      "an ended rule has a top-up scheduled",
      `update wallet_rules set status = 'terminated', terminated_at = created_at where id = '${RULE}'`,
    ],
  ],
  "wallet-cursors-follow-heads": [["a cursor is ahead", "update wallet_cursors set positions = '{4, 1}'"]],
};
