/** Coupons and credit notes that a customer can spend, for the clean database, and plants that break their promises. */
import { CREDITED, id, PAID, PERSONAL, S, SPENDER } from "./names.ts";
import { CHANGED, day, message, type Row, row, transfer } from "./rows.ts";
import { copy, NEW, type Plant } from "./statements.ts";

/** A coupon of 10.00, of which 4.00 are used; a note of 3.00 on the first invoice, of which the second used 1.00. */
const COUPON = id(402);
export const [APPLIED, NOTE] = [id(403), id(404)];
const [CREDITED_FEE, PAID_FEE] = [id(407), id(408)];
const [ISSUE, USE, NOTE_ISSUE, NOTE_USE] = [id(412), id(413), id(414), id(415)];
const MARCH = { created_at: day("2024-03-01"), updated_at: day("2024-03-01") };

type Figures = { sequential_id: number; total_amount_cents: number } & Record<string, number>;

const invoice = (invoiceId: string, feeId: string, figures: Figures): Row[] => [
  row("invoices", {
    id: invoiceId,
    customer_id: SPENDER,
    invoice_type: "subscription",
    status: "finalized",
    occurred_at: day("2024-03-01"),
    currency: "EUR",
    number: `${PERSONAL} ${figures.sequential_id}`,
    issuing_date: "2024-03-01",
    payment_due_date: "2024-03-01",
    net_payment_term: 0,
    time_zone: "UTC",
    payment_status: "pending",
    payment_overdue: false,
    fees_amount_cents: 1000,
    coupons_amount_cents: 0,
    taxes_amount_cents: 0,
    credit_notes_amount_cents: 0,
    prepaid_credit_amount_cents: 0,
    taxes_rate: 0,
    made_from: {},
    derivation: {},
    finalized_at: day("2024-03-01"),
    ...figures,
    ...MARCH,
  }),
  row("fees", {
    id: feeId,
    customer_id: SPENDER,
    invoice_id: invoiceId,
    fee_key: "add-on",
    line: 0,
    fee_type: "add_on",
    kind: "add_on",
    item_id: NEW,
    item_code: PERSONAL,
    item: {},
    grouped_by: {},
    pay_in_advance: false,
    invoiceable: true,
    is_renewal: false,
    regroups: false,
    currency: "EUR",
    amount_cents: 1000,
    precise_amount_cents: 1000,
    precise_unit_amount: 10,
    precise_coupons_amount_cents: 0,
    taxes_amount_cents: 0,
    taxes_rate: 0,
    units: 1,
    payment_status: "pending",
    derivation: {},
    created_at: day("2024-03-01"),
  }),
];

const REFUND = `, sub_total_excluding_taxes_amount_cents = 301, total_amount_cents = 301, refund_amount_cents = 1, refund_status = 'pending'`;
/** The note is for unused days of a subscription. */
const unusedOf = (subscriptionId: string, more: string): string =>
  `update credit_notes set unused_of_subscription_id = '${subscriptionId}'${more} where id = '${NOTE}'`;
const agreed = (subscriptionId: string, creditNote: string): string =>
  `update subscriptions set on_termination_credit_note = '${creditNote}' where id = '${subscriptionId}'`;

const note: Row[] = [
  row("credit_notes", {
    id: NOTE,
    customer_id: SPENDER,
    invoice_id: CREDITED,
    sequential_id: 1,
    number: PERSONAL,
    invoice_number: PERSONAL,
    reason: "other",
    currency: "EUR",
    issuing_date: "2024-03-01",
    coupons_adjustment_amount_cents: 0,
    sub_total_excluding_taxes_amount_cents: 300,
    taxes_amount_cents: 0,
    taxes_rate: 0,
    total_amount_cents: 300,
    credit_amount_cents: 300,
    refund_amount_cents: 0,
    balance_amount_cents: 200,
    credit_status: "available",
    derivation: {},
    ...MARCH,
  }),
  row("credit_note_items", {
    id: id(409),
    credit_note_id: NOTE,
    fee_id: CREDITED_FEE,
    line: 0,
    amount_cents: 300,
    precise_amount_cents: 300,
    created_at: day("2024-03-01"),
  }),
  ...message(NOTE, "credit_note.created"),
];

const credit = (creditId: string, kind: string, owner_id: string, amount_cents: number): Row =>
  row("invoice_credits", {
    id: creditId,
    invoice_id: PAID,
    kind,
    owner_id,
    item_id: owner_id,
    item_code: PERSONAL,
    item_name: PERSONAL,
    amount_cents,
    position: 0,
    created_at: day("2024-03-01"),
  });

export const ledgerWorld: readonly Row[] = [
  row("coupons", {
    id: COUPON,
    code: PERSONAL,
    name: PERSONAL,
    coupon_type: "fixed_amount",
    amount_cents: 1000,
    amount_currency: "EUR",
    frequency: "once",
    reusable: true,
    ...CHANGED,
  }),
  row("applied_coupons", {
    id: APPLIED,
    customer_id: SPENDER,
    coupon_id: COUPON,
    status: "active",
    amount_cents: 1000,
    amount_currency: "EUR",
    frequency: "once",
    amount_left_cents: 600,
    ...CHANGED,
  }),
  ...transfer(ISSUE, { of: APPLIED, from: "issued", to: "coupon", amount: 1000, source: ["applied_coupon", APPLIED] }),
  ...transfer(USE, { of: APPLIED, from: "coupon", to: "invoiced", amount: 400, source: ["invoice", PAID] }),
  ...invoice(CREDITED, CREDITED_FEE, { sequential_id: 1, total_amount_cents: 1000 }),
  ...invoice(PAID, PAID_FEE, {
    sequential_id: 2,
    coupons_amount_cents: 400,
    credit_notes_amount_cents: 100,
    prepaid_credit_amount_cents: 200,
    total_amount_cents: 300,
  }),
  row("counters", { series: `invoices:${SPENDER}`, value: 2 }),
  credit(id(416), "coupon", APPLIED, 400),
  credit(id(417), "credit_note", NOTE, 100),
  ...note,
  ...transfer(NOTE_ISSUE, { of: NOTE, from: "issued", to: "credit_note", amount: 300, source: ["credit_note", NOTE] }),
  ...transfer(NOTE_USE, { of: NOTE, from: "credit_note", to: "invoiced", amount: 100, source: ["invoice", PAID] }),
];

/** The same transfer to an owner that does not exist. */
function transferOnce(transferId: string): string {
  const side = (sign: string, entryId: string) =>
    copy("ledger_entries", `transfer_id = '${transferId}' and amount_cents ${sign} 0`, {
      id: entryId,
      transfer_id: NEW,
      account_id: NEW,
    });
  return `${side("<", NEW)}; ${side(">", id(901))}`;
}

/** Another coupon, which has no remaining amount to count. */
export const copyOfCoupon = (changes: object): string =>
  copy("applied_coupons", `id = '${APPLIED}'`, { id: NEW, frequency: "forever", amount_left_cents: null, ...changes });

export const ledgerPlants: Readonly<Record<string, readonly Plant[]>> = {
  "ledger-transfers-balance": [
    [
      "one side of a transfer is gone",
      `delete from ledger_entries where transfer_id = '${ISSUE}' and amount_cents < 0`,
    ],
    [
      "a transfer changes the owner",
      `update ledger_entries set account_id = '${NEW}' where transfer_id = '${ISSUE}' and account_kind = 'issued'`,
    ],
    [
      "a source moved value twice",
      `drop index ledger_entries_once;
       ${copy("ledger_entries", `transfer_id = '${NOTE_USE}' and amount_cents < 0`, { id: NEW, transfer_id: NEW })};
       ${copy("ledger_entries", `transfer_id = '${NOTE_USE}' and amount_cents > 0`, { id: id(901), transfer_id: NEW })};
       update credit_notes set balance_amount_cents = 100 where id = '${NOTE}'`,
    ],
  ],
  "coupons-follow-ledger": [
    ["an amount was overwritten", `update applied_coupons set amount_left_cents = 700 where id = '${APPLIED}'`],
    ["an account has no owner", transferOnce(ISSUE)],
  ],
  "credit-notes-follow-ledger": [
    ["a balance was overwritten", `update credit_notes set balance_amount_cents = 300 where id = '${NOTE}'`],
    ["an account has no owner", transferOnce(NOTE_ISSUE)],
  ],
  "ends-give-back-as-agreed": [
    ["a note was to be skipped", `${unusedOf(S.endedOnBoundary, "")}; ${agreed(S.endedOnBoundary, "skip")}`],
    ["a refund was to be a credit", `${unusedOf(S.endedOnBoundary, REFUND)}; ${agreed(S.endedOnBoundary, "credit")}`],
    ["a change of plan refunds", `${unusedOf(S.upgraded, REFUND)}; ${agreed(S.upgraded, "refund")}`],
  ],
  "credit-notes-fit-invoices": [
    [
      "a note credits more than its invoice",
      `update credit_notes set total_amount_cents = 1001, sub_total_excluding_taxes_amount_cents = 1001, credit_amount_cents = 1001
       where id = '${NOTE}'`,
    ],
    [
      "an item credits more than its fee",
      `update credit_note_items set amount_cents = 1001 where credit_note_id = '${NOTE}'`,
    ],
    [
      "a refund is more than was to be paid",
      `update credit_notes set invoice_id = '${PAID}', sub_total_excluding_taxes_amount_cents = 501, total_amount_cents = 501,
         refund_amount_cents = 301, refund_status = 'pending', credit_amount_cents = 200, balance_amount_cents = 100
         where id = '${NOTE}';
       update ledger_entries set amount_cents = sign(amount_cents) * 200 where transfer_id = '${NOTE_ISSUE}'`,
    ],
    ["a number is missing", `update credit_notes set sequential_id = 2 where id = '${NOTE}'`],
    ["a note was not published", `delete from outbox where object_id = '${NOTE}'`],
  ],
  "invoice-credits-follow-ledger": [
    [
      "an invoice was voided and gave nothing back",
      `update invoices set status = 'voided', voided_at = now() where id = '${PAID}'`,
    ],
    [
      "a use belongs to another invoice",
      `update ledger_entries set source_id = '${CREDITED}' where transfer_id = '${USE}'`,
    ],
  ],
  "invoice-credits-add-up": [
    [
      "a coupon is not shown",
      `update invoices set coupons_amount_cents = 300, total_amount_cents = 400 where id = '${PAID}'`,
    ],
    [
      "a credit note is not on its invoice",
      `update invoice_credits set amount_cents = 101 where kind = 'credit_note';
       update ledger_entries set amount_cents = sign(amount_cents) * 101 where transfer_id = '${NOTE_USE}';
       update credit_notes set balance_amount_cents = 199 where id = '${NOTE}'`,
    ],
  ],
};
