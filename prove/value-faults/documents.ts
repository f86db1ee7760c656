/** Faults of deletions, fees that were paid, voids and write-offs. */
import { inMigration, inServer } from "../guards/guard.ts";
import { type Fault, inCore, inStory } from "./fault.ts";

const FEES = inServer("modules/invoicing/fees/store.ts");
const MAKE = inServer("modules/invoicing/invoices/make-invoice.ts");
const VOID = inCore("invoicing/void.ts");
const PAID = inMigration("0028-paid-fees-stay");

/** The database lets a paid fee be hidden, or deleted with its draft. */
const PAID_MAY_GO = [
  { file: PAID, find: "payment_status not in ('succeeded', 'refunded')) not valid;", replace: "true) not valid;" },
  { file: PAID, find: "      if old.payment_status in ('succeeded', 'refunded') then", replace: "      if false then" },
];

export const DOCUMENTS: readonly Fault[] = [
  {
    name: "credits of a deleted customer end before its last invoice",
    ruling: "27",
    harm: "The last invoice asks for what was prepaid.",
    steps: ["openWallet", "grant", "useCalls", "deleteCustomer"],
    edits: [
      {
        file: inServer("modules/customers/customers/delete-customer.ts"),
        find: "  else await deps.endValue(alone(tx), { row, now: customer.now }, deps.registry);",
        replace: "  await deps.endValue(alone(tx), { row, now: customer.now }, deps.registry);",
      },
    ],
    test: inStory("deletions", "The last invoice of a deleted customer uses its wallet, which ends only then"),
  },
  {
    name: "a void gives a deleted customer its coupon back",
    ruling: "27",
    harm: "A deleted customer has an active coupon.",
    steps: ["applyCoupon", "nextPeriod", "deleteCustomer", "voidInvoice", "voidInvoice"],
    edits: [
      {
        file: VOID,
        find: "  const isRevived = isUsedUp(left) && !isWithdrawn;",
        replace: "  const isRevived = isUsedUp(left) || isWithdrawn;",
      },
    ],
    test: inStory(
      "deletions",
      "Credits that a void returns to a deleted customer are lost: coupon, credit note and wallet have ended",
    ),
  },
  {
    name: "a void gives a deleted customer its credit note back",
    ruling: "27",
    harm: "A deleted customer has credit that it can never spend.",
    steps: ["creditInvoice", "nextPeriod", "deleteCustomer", "voidInvoice", "voidInvoice"],
    edits: [
      {
        file: VOID,
        find: '  if (isCustomerDeleted) return note.balanceMinor > 0n ? note : { status: "voided", balanceMinor: minor(0n) };\n',
        replace: "",
      },
    ],
    test: inStory(
      "deletions",
      "Credits that a void returns to a deleted customer are lost: coupon, credit note and wallet have ended",
    ),
  },
  {
    name: "drafts of a deleted customer are closed after its last invoice",
    ruling: "27",
    harm: "What a draft gives back is not there for the last invoice.",
    steps: ["changeGrace", "nextPeriod", "deleteCustomer"],
    edits: [
      { file: inServer("modules/invoicing/invoices/due-kinds.ts"), find: "    rank: 64,", replace: "    rank: 81," },
    ],
    test: inStory(
      "deletions",
      "Prepaid days on a draft are credited in time for the last invoice of a deleted customer",
    ),
  },
  {
    name: "a paid fee is deleted",
    ruling: "28",
    harm: "Money was taken for a fee that is on no document.",
    steps: ["useJobs", "payFee", "deleteFee"],
    edits: [
      { file: FEES, find: '    .where("payment_status", "not in", ["succeeded", "refunded"])\n', replace: "" },
      ...PAID_MAY_GO,
    ],
    test: inStory("paid-fees", "A paid or refunded fee cannot be deleted; a failed one can"),
  },
  {
    name: "a draft replaces fees that stand alone",
    ruling: "28",
    harm: "A fee that was paid is deleted and made again as one that is not.",
    steps: ["changeGrace", "useSeats", "nextPeriod", "payFee", "refresh"],
    edits: [
      {
        file: FEES,
        find: "  const requested = sql`organization_id",
        replace: `  const alone = tx.selectFrom("fees").select("id").where("organization_id", "=", organizationId)
    .where("invoice_id", "is", null).where("bill_id", "in", (from) =>
      from.selectFrom("invoice_bills").select("bill_id").where("invoice_id", "=", invoiceId));
  const ids = (await alone.execute()).map(({ id }) => id);
  if (ids.length > 0) await tx.deleteFrom("fee_taxes").where("fee_id", "in", ids).execute();
  if (ids.length > 0) await tx.deleteFrom("fees").where("id", "in", ids).execute();
  const requested = sql\`organization_id`,
      },
      {
        file: MAKE,
        find: 'invoice.status === "draft" ? await findKeptFees(batch.tx, organizationId, id) : [];',
        replace: 'invoice.status === "finalized" ? await findKeptFees(batch.tx, organizationId, id) : [];',
      },
      ...PAID_MAY_GO,
    ],
    test: inStory("paid-fees", "A paid fee keeps its id and amount when the draft of its period is recomputed"),
  },
  {
    name: "fees that are paid after the end are on no invoice",
    ruling: "28",
    harm: "What was paid late is never invoiced.",
    steps: ["useJobs", "terminate", "payFee", "payFee"],
    edits: [
      {
        file: inServer("modules/invoicing/advance-fees/regroup-paid-fees.ts"),
        find: "    if (!ended) return;\n",
        replace: "    if (!ended || true) return;\n",
      },
    ],
    test: inStory(
      "paid-fees",
      "Fees that are paid after the end are on one invoice when the next period would have begun",
    ),
  },
  {
    name: "an invoice with a spent note is voided",
    ruling: "29",
    harm: "Credit of an invoice that is void has paid another one.",
    steps: ["creditInvoice", "nextPeriod", "voidInvoice", "voidInvoice"],
    edits: [{ file: VOID, find: "return isLive || wasSpent || ", replace: 'return creditStatus === "available" || ' }],
    test: inStory(
      "voids",
      "An invoice whose credit note was spent cannot be voided, even if the rest of the note is void",
    ),
  },
  {
    name: "an invoice with a refunded note is voided",
    ruling: "29",
    harm: "Money went back for an invoice that is void.",
    steps: ["payAll", "creditInvoice", "bouncePayment", "voidInvoice"],
    edits: [
      {
        file: VOID,
        find: ' || refundStatus === "pending" || refundStatus === "succeeded";',
        replace: " || refundStatus === undefined;",
      },
    ],
    test: inStory(
      "voids",
      "A refund prevents the void of an invoice until it fails, even if the credit of its note is void",
    ),
  },
  {
    name: "drafts of a deleted plan wait for their grace period",
    ruling: "31",
    harm: "What a deleted plan billed is not final.",
    steps: ["changeGrace", "nextPeriod", "deletePlan", "deletePlan"],
    edits: [
      {
        file: inServer("main/compose.ts"),
        find: "        await draftEffects.onPlanDeleted(tx);\n",
        replace: "",
      },
    ],
    test: inStory("deletions", "Deleting a plan ends its subscriptions and finalizes their drafts at once"),
  },
  {
    name: "the last invoice of a deleted plan is a draft",
    ruling: "31",
    harm: "What a deleted plan bills waits for a grace period.",
    steps: ["changeGrace", "useCalls", "deletePlan", "deletePlan"],
    edits: [
      {
        file: inServer("modules/invoicing/invoices/load-billing.ts"),
        find: "payer: isWaived ? { ...payer, graceDays: 0 } : payer };",
        replace: "payer: isWaived ? payer : payer };",
      },
    ],
    test: inStory(
      "deletions",
      "Deleting a plan bills a subscriber with a grace period at once, and no drafts of other plans",
    ),
  },
  {
    name: "a debt that is written off stays overdue",
    ruling: "36",
    harm: "Customers are reminded of what they no longer owe.",
    steps: ["nextPeriod", "writeOff", "nextPeriod", "writeOff"],
    edits: [
      {
        file: inServer("modules/invoicing/write-offs/store.ts"),
        find: "payment_overdue: sql`payment_overdue",
        replace: "payment_overdue: sql`payment_overdue or payment_overdue",
      },
      {
        file: inMigration("0026-wallet-lots"),
        find: "  add check (not payment_overdue or written_off_amount_cents < total_amount_cents);",
        replace: "  add check (payment_overdue is not null);",
      },
    ],
    test: inStory("write-offs", "A written-off debt is never overdue again"),
  },
  {
    name: "an invoice that is written off is voided",
    ruling: "36",
    harm: "A debt is given up twice.",
    steps: ["writeOff", "voidInvoice"],
    edits: [
      { file: VOID, find: " && invoice.writtenOffMinor === 0n;", replace: ";" },
      {
        file: inMigration("0026-wallet-lots"),
        find: "  add check (written_off_amount_cents = 0 or status = 'finalized'),\n",
        replace: "",
      },
    ],
  },
  {
    name: "what was written off is refunded",
    ruling: "36",
    harm: "More money goes back than was paid.",
    steps: ["writeOff", "payAll", "creditInvoice"],
    edits: [
      {
        file: inCore("invoicing/compute-credit-note.ts"),
        find: " - figures.prepaidMinor - invoice.writtenOffMinor;",
        replace: " - figures.prepaidMinor;",
      },
      {
        file: inMigration("0026-wallet-lots"),
        find: "sum(refund_amount_cents) > invoice.total_amount_cents - invoice.written_off_amount_cents)",
        replace: "sum(refund_amount_cents) > invoice.total_amount_cents)",
      },
    ],
    test: inStory("write-offs", "Of an invoice that is written off in part, only the paid part is refunded"),
  },
];
