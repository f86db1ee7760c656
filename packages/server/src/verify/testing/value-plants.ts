/** Plants of the invariants about value: given, paid, taken back and lost. */
import { APPLIED, copyOfCoupon, NOTE } from "./ledger-world.ts";
import { CREDITED, GONE, id, PAID, PATIENT, REAL, S } from "./names.ts";
import { post } from "./receivable-plants.ts";
import { billOf, copy, NEW, type Plant } from "./statements.ts";
import { changeLot, changeWallet, copyOfWallet, GRANTED, VOIDED, WALLET } from "./wallet-world.ts";

const ENDED_AT = "2024-04-02T00:00:00Z";
const ENDED = `status = 'terminated', terminated_at = '${ENDED_AT}'`;
/** More ids for rows that a plant adds. */
const [SECOND, THIRD] = [id(902), id(903)];

/** A copy of a source's transfer, for another owner and customer. */
const copyTransfer = (source: string, to: { owner: string; customer: string; source: string }): string => `
  insert into ledger_entries
    select (jsonb_populate_record(entry, jsonb_build_object('id', gen_random_uuid(), 'transfer_id', '${to.source}',
      'account_id', '${to.owner}', 'customer_id', '${to.customer}', 'source_id', '${to.source}'))).*
    from ledger_entries entry where source_id = '${source}'`;

const publish = (transactionId: string): string =>
  copy("outbox", `object_id = '${GRANTED}'`, { id: transactionId, object_id: transactionId });

/** A wallet that has ended, and a purchase for it. */
const purchaseOfEnded = (changes: object): string => `
  ${copyOfWallet({ status: "terminated", terminated_at: ENDED_AT })};
  ${copy("wallet_transactions", `id = '${GRANTED}'`, {
    id: NEW,
    wallet_id: NEW,
    transaction_status: "purchased",
    remaining_amount_cents: 0,
    settled_at: null,
    ...changes,
  })};
  ${publish(NEW)}`;

const end = (owner: string, kinds: string, cents: number): string => `
  insert into ledger_entries
    select (jsonb_populate_record(entry, jsonb_build_object('id', gen_random_uuid(), 'transfer_id', '${THIRD}',
      'account_kind', case when amount_cents < 0 then 'wallet' else 'expired' end, 'source_kind', '${kinds}', 'source_id', '${owner}',
      'account_id', '${owner}', 'customer_id', '${GONE}', 'amount_cents', sign(amount_cents) * ${cents}, 'created_at', '2024-03-11'))).*
    from ledger_entries entry where source_id = '${VOIDED}'`;

const invoiceOf = (where: string): string =>
  `(select invoice_id from invoice_bills where bill_id = (select id from bills where ${where}))`;
const PLAIN = invoiceOf(billOf(S.plain, "periodic", "2024-03-01T00:00:00Z"));

/** A refund note on the invoice of another customer. */
const refundNote = (status: string): string =>
  `insert into credit_notes select (jsonb_populate_record(note, jsonb_build_object('id', '${NEW}', 'customer_id', '${PATIENT}',
     'invoice_id', ${PLAIN}, 'sequential_id', 1, 'number', 'P-${NEW}', 'sub_total_excluding_taxes_amount_cents', 100,
     'total_amount_cents', 100, 'credit_amount_cents', 0, 'refund_amount_cents', 100, 'balance_amount_cents', 0,
     'credit_status', null, 'refund_status', '${status}'))).* from credit_notes note where id = '${NOTE}';
   ${copy("outbox", `object_id = '${NOTE}'`, { id: NEW, object_id: NEW })};
   update invoices set status = 'voided', voided_at = now() where id = ${PLAIN}`;

const voidCredited = `update invoices set status = 'voided', voided_at = now() where id = '${CREDITED}'`;

export const valuePlants: Readonly<Record<string, readonly Plant[]>> = {
  "ended-wallets-hold-nothing": [
    [
      "a wallet ended with its balance",
      `alter table wallets drop constraint wallets_ended_hold_nothing; ${changeWallet(ENDED)};
       update wallet_rules set status = 'terminated', terminated_at = created_at;
       delete from due_instants where kind in ('wallet_expiry', 'wallet_top_up'); ${changeLot("remaining_amount_cents = 0")}`,
    ],
  ],
  "purchases-of-ended-wallets-go-back": [
    [
      "a payment for an ended wallet was not refunded",
      `${purchaseOfEnded({ status: "failed", failed_at: ENDED_AT, invoice_id: CREDITED })};
       update invoices set invoice_type = 'credit', payment_status = 'succeeded' where id = '${CREDITED}'`,
    ],
    [
      "a wallet ended and its purchase is still to be paid",
      `${purchaseOfEnded({ status: "pending", invoice_id: PAID, withheld_amount_cents: 1000 })};
       update invoices set invoice_type = 'credit' where id = '${PAID}'`,
    ],
  ],
  "void-invoices-have-no-used-notes": [
    ["an invoice was voided whose note can be spent", voidCredited],
    [
      "an invoice was voided whose note was spent before it was voided",
      `${voidCredited}; update credit_notes set credit_status = 'voided', voided_at = now(), balance_amount_cents = 0 where id = '${NOTE}';
       insert into ledger_entries
         select (jsonb_populate_record(entry, jsonb_build_object('id', gen_random_uuid(), 'transfer_id', '${NEW}',
           'account_kind', case when amount_cents < 0 then 'credit_note' else 'voided' end, 'source_kind', 'credit_note_void',
           'amount_cents', sign(amount_cents) * 200))).*
         from ledger_entries entry where source_id = '${NOTE}'`,
    ],
    ["an invoice was voided while a refund was pending", refundNote("pending")],
    [
      "an invoice was voided that was refunded",
      `${refundNote("succeeded")}; ${post("credit_notes", NEW, "refund", { issued: "-refund_amount_cents", refunded: "refund_amount_cents" })}`,
    ],
  ],
  "value-is-conserved": [
    [
      "an invoice used the coupon of another customer",
      `update applied_coupons set customer_id = '${REAL}' where id = '${APPLIED}';
       update ledger_entries set customer_id = '${REAL}' where account_id = '${APPLIED}'`,
    ],
    [
      "a coupon was worth more than was issued",
      `update applied_coupons set amount_cents = 1500 where id = '${APPLIED}'`,
    ],
    [
      "a note was worth more than was issued",
      `update credit_notes set credit_amount_cents = 400, total_amount_cents = 400, sub_total_excluding_taxes_amount_cents = 400
         where id = '${NOTE}'`,
    ],
    [
      "a wallet and its credits have different customers",
      `update ledger_entries set customer_id = '${REAL}' where account_id = '${WALLET}'`,
    ],
  ],
  "last-invoices-use-what-is-left": [
    [
      "a wallet ended before the last invoice",
      `${copyOfWallet({ customer_id: GONE, status: "terminated", terminated_at: "2024-03-10T00:00:00Z" })};
       ${copy("wallet_transactions", `id = '${GRANTED}'`, { id: SECOND, wallet_id: NEW, customer_id: GONE, remaining_amount_cents: 0 })};
       ${copyTransfer(GRANTED, { owner: NEW, customer: GONE, source: SECOND })}; ${publish(SECOND)}; ${end(NEW, "wallet_end", 1000)}`,
    ],
    [
      "a coupon ended with the deletion, and the last invoice did not use it",
      `${copyOfCoupon({
        customer_id: GONE,
        status: "terminated",
        terminated_at: "2024-03-10T00:00:00Z",
        frequency: "once",
        amount_left_cents: 1000,
      })}; ${copyTransfer(APPLIED, { owner: NEW, customer: GONE, source: NEW })}`,
    ],
  ],
};

export const valueFalseAlarms: readonly Plant[] = [
  ["an invoice was voided whose refund had failed", refundNote("failed")],
  [
    "the invoice of an ended wallet was written off in part",
    `${purchaseOfEnded({ status: "pending", invoice_id: PAID, withheld_amount_cents: 1000 })};
     update invoices set invoice_type = 'credit', written_off_amount_cents = 1 where id = '${PAID}';
     insert into invoice_write_offs select organization_id, '${NEW}', id, 1, 'none', created_at, created_at
       from invoices where id = '${PAID}'`,
  ],
];
