/** Faults of prepaid credits: purchases and their payments, lots, wallets that end. */
import { inMigration, inServer } from "../guards/guard.ts";
import { type Fault, inCore, inStory } from "./fault.ts";

const FOLLOW = inServer("modules/credit/wallets/follow-payment.ts");
const END = inServer("modules/credit/wallets/change-wallet.ts");
const SPEND = inServer("modules/credit/wallets/spend.ts");
const REFUND = inServer("modules/credit/wallets/refund-purchase.ts");
const VOID = inCore("invoicing/void.ts");
const LOTS = inMigration("0026-wallet-lots");

/** The database lets an ended wallet hold something. */
const ENDED_MAY_HOLD = {
  file: LOTS,
  find: "check (status <> 'terminated' or balance_cents = 0)",
  replace: "check (status is not null)",
};

export const PURCHASES: readonly Fault[] = [
  {
    name: "a payment that bounces leaves the credits",
    ruling: "25",
    harm: "Credits that are not paid stay in the wallet.",
    steps: ["buy", "payAll", "bouncePayment"],
    edits: [
      {
        file: FOLLOW,
        find: "    else await adjustLot(alone(tx), scope, purchase, isPaid);",
        replace: "    else await adjustLot(alone(tx), scope, purchase, true);",
      },
    ],
    test: inStory("purchases", "A bounced payment removes the rest of its credits; paid again, they return"),
  },
  {
    name: "credits that are paid again do not come back",
    ruling: "25",
    harm: "After a bounce and a second payment the customer has paid for credits that it does not have.",
    steps: ["buy", "pay", "bouncePayment", "pay"],
    edits: [
      {
        file: FOLLOW,
        find: "lotAfterPayment({ remainingMinor, withheldMinor, writtenOffMinor }, isPaid) - remainingMinor;",
        replace:
          "lotAfterPayment({ remainingMinor, withheldMinor: NOTHING, writtenOffMinor }, isPaid) - remainingMinor;",
      },
    ],
    test: inStory("purchases", "A bounced payment removes the rest of its credits; paid again, they return"),
  },
  {
    name: "a spent purchase is voided",
    ruling: "25",
    harm: "Credits are spent that the customer no longer pays for.",
    steps: ["buy", "payAll", "nextPeriod", "bouncePayment", "voidInvoice"],
    edits: [{ file: VOID, find: " && !invoice.isPurchaseSpent && ", replace: " && " }],
    test: inStory("purchases", "A purchase can be voided only while it is unspent and unpaid"),
  },
  {
    name: "bought credits go before granted ones",
    ruling: "25",
    harm: "What a bounce or a refund could still take back is spent first.",
    steps: ["grant", "buy", "payAll", "nextPeriod"],
    edits: [
      {
        file: inCore("invoicing/lots.ts"),
        find: "const RANKS = { granted: 0, purchased: 1 } as const;",
        replace: "const RANKS = { granted: 1, purchased: 0 } as const;",
      },
    ],
    test: inStory(
      "purchases",
      "Granted credits are used before purchased ones, then the oldest first; voided credits too",
    ),
  },
  {
    name: "the youngest credits go first",
    ruling: "25",
    harm: "Lots of one kind are not taken in the order in which they came.",
    steps: ["grant", "advance", "grant", "nextPeriod"],
    edits: [
      {
        file: inCore("invoicing/lots.ts"),
        find: "  Temporal.Instant.compare(one.createdAt, other.createdAt) ||",
        replace: "  Temporal.Instant.compare(other.createdAt, one.createdAt) ||",
      },
    ],
    test: inStory(
      "purchases",
      "Granted credits are used before purchased ones, then the oldest first; voided credits too",
    ),
  },
  {
    name: "a void returns bought credits as granted ones",
    ruling: "25",
    harm: "What comes back is a new lot, which no bounce and no refund takes back.",
    steps: ["buy", "payAll", "nextPeriod", "voidPrepaid"],
    edits: [
      {
        file: SPEND,
        find: "addTransaction(batch, scope, wallet, { ...returned, voidedInvoiceId, returns });",
        replace: "addTransaction(batch, scope, wallet, { ...returned, voidedInvoiceId });",
      },
      { file: LOTS, find: "status = 'settled' and voided_invoice_id is null and", replace: "status = 'settled' and" },
    ],
    test: inStory("purchases", "A void returns credits to the lots that they came from"),
  },
  {
    name: "a void gives credits back to a purchase that bounced",
    ruling: "25",
    harm: "Credits that are not paid come back into the wallet.",
    steps: ["buy", "payAll", "nextPeriod", "bouncePurchase", "voidPrepaid"],
    edits: [
      {
        file: SPEND,
        find: "    current = await adjustLot(batch, scope, purchase, !bounced.has(lot.id));",
        replace: "    current = await adjustLot(batch, scope, purchase, bounced.has(lot.id) || true);",
      },
    ],
    test: inStory("purchases", "Credits that a void returns to a bounced purchase leave the wallet at once"),
  },
  {
    name: "a refund takes whatever the wallet holds",
    ruling: "25",
    harm: "Granted credits are paid out in money.",
    steps: ["buy", "grant", "payAll", "creditInvoice", "creditInvoice"],
    edits: [
      {
        file: REFUND,
        find: '"active" ? lot.remaining_amount_cents : 0n',
        replace: '"active" ? wallet.balance_cents : 0n',
      },
      { file: REFUND, find: "creditNoteId, lotId: lot.id } as const;", replace: "creditNoteId } as const;" },
    ],
    test: inStory("purchases", "Only the rest of the purchase itself is refunded, whatever else is in the wallet"),
  },
  {
    name: "an ended wallet leaves its unpaid purchases",
    ruling: "26",
    harm: "The customer is asked to pay for credits that it can never have.",
    steps: ["buy", "endWallet"],
    edits: [
      {
        file: END,
        find: "    await voidIfAllowed(batch, deps, { row: await lockInvoice(batch, organizationId, id), now });",
        replace: "    await lockInvoice(batch, organizationId, id);",
      },
    ],
    test: inStory("purchases", "Ending a wallet voids its unpaid purchases"),
  },
  {
    name: "a payment for an ended wallet is kept",
    ruling: "26",
    harm: "The customer has paid for credits, and gets neither them nor the money.",
    steps: ["buy", "payAll", "nextPeriod", "payForEnded"],
    edits: [
      {
        file: inServer("main/compose-parts.ts"),
        find: "    if (refundMinor > 0n) await refundPurchase(tx, { clock, documents }, { invoice, refundMinor, at });",
        replace:
          "    if (refundMinor < 0n) await refundPurchase(tx, { clock, documents }, { invoice, refundMinor, at });",
      },
    ],
    test: inStory("purchases", "A payment for an ended wallet grants nothing and is refunded"),
  },
  {
    name: "a payment fills an ended wallet",
    ruling: "26",
    harm: "Credits come into a wallet that the customer cannot use.",
    steps: ["buy", "payAll", "nextPeriod", "payForEnded"],
    edits: [
      {
        file: FOLLOW,
        find: '    if (isPaid && statusAt(filled.wallet, at) === "terminated") return refuseCredits(tx, scope, purchase);\n',
        replace: "",
      },
      ENDED_MAY_HOLD,
    ],
    test: inStory("purchases", "A payment for an ended wallet grants nothing and is refunded"),
  },
  {
    name: "an ended wallet keeps what it holds",
    ruling: "26",
    harm: "A wallet that has ended holds credits.",
    steps: ["openWallet", "grant", "endWallet"],
    edits: [
      { file: END, find: "    amountCents: wallet.balance_cents,\n", replace: "    amountCents: 0n,\n" },
      { file: END, find: "  await voidLots(batch.tx, organizationId, wallet.id);\n", replace: "" },
      { file: END, find: "    balance_cents: 0n,\n", replace: "" },
      ENDED_MAY_HOLD,
    ],
  },
  {
    name: "a void fills an ended wallet",
    ruling: "26",
    harm: "What a voided invoice used comes back into a wallet that has ended.",
    steps: ["openWallet", "grant", "nextPeriod", "endWallet", "voidPrepaid"],
    edits: [
      {
        file: SPEND,
        find: '    if (!wallet || statusAt(wallet, at) === "terminated") continue;',
        replace: "    if (!wallet) continue;",
      },
      ENDED_MAY_HOLD,
    ],
  },
  {
    name: "what was written off of a purchase is granted",
    ruling: "25",
    harm: "A payment of the rest brings credits for what was given up.",
    steps: ["buy", "writeOff", "payAll"],
    edits: [
      {
        file: inCore("invoicing/lots.ts"),
        find: "lot.remainingMinor + lot.withheldMinor - lot.writtenOffMinor;",
        replace: "lot.remainingMinor + lot.withheldMinor;",
      },
    ],
    test: inStory("write-offs", "A purchase that is written off in part grants the paid part"),
  },
];
