/**
 * Plants of the invariants about receivables. Documents of the clean database come from an earlier release; plants open the receivables
 * they break.
 */
import { A, B, CREDITED, id, PAID } from "./names.ts";
import { CREATED, type Row, row } from "./rows.ts";
import { NEW, type Plant } from "./statements.ts";

/** The organization that bills events in advance, and its standalone fee of 1.00. */
const [IN_ADVANCE, ALONE] = [id(3), id(301)];

export const receivableWorld: readonly Row[] = [A, B, IN_ADVANCE].map((organization) =>
  row("receivable_openings", { opened_count: 0, ...CREATED }, organization),
);

/** The amounts are SQL expressions. */
type Entries = Readonly<Record<string, number | string>>;

/** Inserts entries of a document, one for each account. */
export const post = (
  table: "invoices" | "fees" | "credit_notes",
  owner: string,
  kind: string,
  entries: Entries,
): string =>
  Object.entries(entries)
    .map(
      ([account, amount]) => `
        insert into ledger_entries (organization_id, id, transfer_id, account_kind, account_id, customer_id, currency, amount_cents,
          source_kind, source_id, occurred_at, created_at)
        select organization_id, gen_random_uuid(), md5('${kind}' || id)::uuid, '${account}', id, customer_id, currency, ${amount},
          '${kind}', id, created_at, created_at from ${table} where id = '${owner}'`,
    )
    .join(";");

const set = (columns: string): string => `update invoices set ${columns} where id = '${PAID}'`;
const setFee = (columns: string): string => `update fees set ${columns} where id = '${ALONE}'`;

/** 10.00 less a coupon of 4.00. A note pays 1.00 and a wallet 2.00, so 3.00 are due. */
const OPEN = `${set("has_receivable = true")}; ${post("invoices", PAID, "billed", { billed: -600, receivable: 300, prepaid: 300 })}`;
const PAY = `${set("payment_status = 'succeeded', paid_amount_cents = 300")};
  ${post("invoices", PAID, "paid", { receivable: -300, paid: 300 })}`;
const OPEN_FEE = `${setFee("has_receivable = true")}; ${post("fees", ALONE, "billed", { billed: -100, receivable: 100 })}`;
const PAY_FEE = `${setFee("payment_status = 'succeeded', succeeded_at = created_at")};
  ${post("fees", ALONE, "paid", { receivable: -100, paid: 100 })}`;
const REFUND = `update credit_notes set refund_status = 'succeeded', refund_amount_cents = 100, credit_amount_cents = 200
  where invoice_id = '${CREDITED}'`;

export const receivablePlants: Readonly<Record<string, readonly Plant[]>> = {
  "receivables-are-open": [
    ["the job left documents out", `update receivable_openings set finished_at = now() where organization_id = '${A}'`],
    [
      "the job left a fee out",
      `update receivable_openings set finished_at = now() where organization_id = '${IN_ADVANCE}'`,
    ],
  ],
  "receivables-follow-invoices": [
    ["a receivable was never billed", set("has_receivable = true")],
    [
      "the ledger bills less than the invoice total",
      `${OPEN}; ${post("invoices", PAID, "more", { billed: 1, prepaid: -1 })}`,
    ],
    ["it is paid only in its column", `${OPEN}; ${set("payment_status = 'succeeded', paid_amount_cents = 300")}`],
    ["it is paid only in the ledger", `${OPEN}; ${post("invoices", PAID, "paid", { receivable: -300, paid: 300 })}`],
    [
      "the ledger has a larger payment than the invoice",
      `${OPEN}; ${PAY}; ${post("invoices", PAID, "more", { overpaid: -1, paid: 1 })}`,
    ],
    [
      "a disputed amount has no lost dispute",
      `${OPEN}; ${post("invoices", PAID, "lost", { receivable: -1, disputed: 1 })}`,
    ],
    [
      "a bounced payment left nothing due",
      `${OPEN}; ${PAY}; ${set("payment_status = 'failed', paid_amount_cents = 0")}`,
    ],
    [
      "an amount is owed without a document",
      `${OPEN}; update ledger_entries set account_id = '${NEW}', transfer_id = '${NEW}'
      where account_id = '${PAID}' and source_kind = 'billed'; ${set("has_receivable = false")}`,
    ],
  ],
  "receivables-follow-fees": [
    ["a receivable was never billed", setFee("has_receivable = true")],
    [
      "a fee is paid without a payment",
      `${OPEN_FEE}; ${setFee("payment_status = 'succeeded', succeeded_at = created_at")}`,
    ],
    ["an unpaid fee has a payment", `${OPEN_FEE}; ${post("fees", ALONE, "paid", { receivable: -100, paid: 100 })}`],
    [
      "a fee that was not refunded has a refund",
      `${OPEN_FEE}; ${PAY_FEE};
      ${post("fees", ALONE, "refund", { issued: -100, refunded: 100 })}`,
    ],
    [
      "a fee moved to an invoice that does not exist",
      `${OPEN_FEE}; ${PAY_FEE};
      ${post("fees", ALONE, "regrouping", { paid: -100, regrouped: 100 })}`,
    ],
  ],
  "refunds-follow-ledger": [
    ["a refund is not in the ledger", REFUND],
    ["a refund that failed is in the ledger", post("credit_notes", id(404), "refund", { issued: -1, refunded: 1 })],
  ],
};

export const receivableFalseAlarms: readonly Plant[] = [
  ["an invoice is owed", OPEN],
  ["an invoice is paid", `${OPEN}; ${PAY}`],
  [
    "an invoice is paid, and the payment bounces",
    `${OPEN}; ${PAY}; ${set("payment_status = 'failed', paid_amount_cents = 0")};
     ${post("invoices", PAID, "bounced", { receivable: 300, paid: -300 })}`,
  ],
  [
    "an invoice is overpaid",
    `${OPEN}; ${PAY}; ${set("paid_amount_cents = 400")}; ${post("invoices", PAID, "more", { overpaid: -100, paid: 100 })}`,
  ],
  [
    "an invoice is disputed",
    `${OPEN}; ${set("payment_dispute_lost_at = created_at, payment_overdue = false")};
     ${post("invoices", PAID, "lost", { receivable: -300, disputed: 300 })}`,
  ],
  ["a fee is owed", OPEN_FEE],
  ["a fee is paid", `${OPEN_FEE}; ${PAY_FEE}`],
];
