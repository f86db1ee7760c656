/** What must be true of the documents of a customer after every step, by plain sums over what the API shows. */
import { checkEnds } from "./checks-ends.ts";
import { checkPreview } from "./checks-preview.ts";
import { checkReceivables } from "./checks-receivables.ts";
import { demand } from "./demand.ts";
import type { Documents, Invoice, Note, Transaction } from "./documents.ts";
import { SWITCHES } from "./switches.ts";
import type { World } from "./world.ts";

const sumOf = <Item>(items: readonly Item[], amount: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + amount(item), 0);

export function checkDocuments(world: World, before: Documents): void {
  const { documents } = world;
  for (const invoice of documents.invoices) checkInvoice(invoice);
  checkNumbers(documents);
  checkUnchanged(documents, before);
  checkReceivables(documents, before);
  for (const note of documents.notes) checkNote(world, note);
  checkVoided(documents);
  checkWallets(documents);
  checkPurchases(documents);
  checkCoupons(documents);
  checkPaidFees(documents, before);
  checkPreview(world, before);
  checkEnds(world, before);
  if (world.isDeleted) checkDeleted(documents);
}

function checkInvoice(invoice: Invoice): void {
  const about = () => invoice;
  const { fees, credits, status } = invoice;
  const couponCredits = credits.filter(({ item }) => item.type === "coupon");
  const noteCredits = credits.filter(({ item }) => item.type === "credit_note");
  const excluding = invoice.fees_amount_cents - invoice.coupons_amount_cents;
  const including = excluding + invoice.taxes_amount_cents;
  const total = including - invoice.credit_notes_amount_cents - invoice.prepaid_credit_amount_cents;
  demand("invoiceFees", sumOf(fees, (fee) => fee.amount_cents) === invoice.fees_amount_cents, about);
  demand("invoiceCoupons", sumOf(couponCredits, (one) => one.amount_cents) === invoice.coupons_amount_cents, about);
  demand("invoiceNotes", sumOf(noteCredits, (one) => one.amount_cents) === invoice.credit_notes_amount_cents, about);
  demand("invoiceExcluding", excluding === invoice.sub_total_excluding_taxes_amount_cents && excluding >= 0, about);
  demand("invoiceIncluding", including === invoice.sub_total_including_taxes_amount_cents, about);
  const [taxes, lines] = [sumOf(invoice.applied_taxes, (tax) => tax.amount_cents), invoice.applied_taxes.length];
  // Each line is rounded by itself, their sum once.
  demand("invoiceTaxes", Math.abs(taxes - invoice.taxes_amount_cents) <= lines, about);
  demand(
    "feeTotal",
    fees.every((fee) => fee.amount_cents + fee.taxes_amount_cents === fee.total_amount_cents),
    about,
  );
  demand("invoiceTotal", total === invoice.total_amount_cents && total >= 0, about);
  if (status === "draft")
    demand(
      "draftSpends",
      invoice.coupons_amount_cents + invoice.credit_notes_amount_cents + invoice.prepaid_credit_amount_cents === 0,
      about,
    );
  demand(
    "feeNegative",
    fees.every((fee) => fee.amount_cents >= 0),
    about,
  );
}

/** From 1 on without a gap, and none twice, also where another way to count came between. */
function checkNumbers({ invoices }: Documents): void {
  const numbers = invoices.flatMap(({ sequential_id }) => sequential_id ?? []).toSorted((one, other) => one - other);
  demand(
    "numbersHaveGaps",
    numbers.every((number, index) => number === index + 1),
    () => numbers,
  );
  const shown = invoices.filter(({ status }) => status !== "draft").map(({ number }) => number);
  demand("numberGivenTwice", new Set(shown).size === shown.length, () => shown);
  const unnumbered = invoices.filter(({ status, sequential_id }) => (status === "draft") !== (sequential_id === null));
  demand("numbersMissing", unnumbered.length === 0, () => unnumbered);
}

const AMOUNTS = [
  "fees_amount_cents",
  "coupons_amount_cents",
  "credit_notes_amount_cents",
  "taxes_amount_cents",
  "prepaid_credit_amount_cents",
  "total_amount_cents",
  "number",
] as const;

/** Nothing of an invoice that is final changes, and no document goes. */
function checkUnchanged(now: Documents, before: Documents): void {
  const invoices = new Map(now.invoices.map((invoice) => [invoice.svc_id, invoice]));
  for (const old of before.invoices) {
    const found = invoices.get(old.svc_id);
    demand("invoiceGone", found !== undefined, () => old);
    if (found === undefined || old.status === "draft") continue;
    demand(
      "invoiceChanged",
      AMOUNTS.every((name) => found[name] === old[name]),
      () => ({ old, found }),
    );
    demand("invoiceRevived", old.status !== "voided" || found.status === "voided", () => found);
  }
  const notes = new Set(now.notes.map(({ svc_id }) => svc_id));
  demand(
    "noteGone",
    before.notes.every(({ svc_id }) => notes.has(svc_id)),
    () => before.notes,
  );
}

/** Balance = credit - what invoices that count used - what was voided; never on its own invoice. */
function checkNote(world: World, note: Note): void {
  const uses = world.documents.invoices.flatMap((invoice) =>
    invoice.credits
      .filter(({ item }) => item.type === "credit_note" && item.svc_item_id === note.svc_id)
      .map(({ amount_cents }) => ({ invoice, amount_cents })),
  );
  const about = () => ({
    note,
    uses: uses.map(({ invoice, amount_cents }) => [invoice.number, invoice.status, amount_cents]),
  });
  demand(
    "noteOnItsOwnInvoice",
    uses.every(({ invoice }) => invoice.svc_id !== note.svc_invoice_id),
    about,
  );
  const used = sumOf(
    uses.filter(({ invoice }) => invoice.status !== "voided"),
    (use) => use.amount_cents,
  );
  demand("noteOverspent", used <= note.credit_amount_cents, about);
  if (note.credit_status === "voided") demand("voidedNoteHolds", note.balance_amount_cents === 0, about);
  else if (note.credit_status !== null)
    demand("noteBalance", note.balance_amount_cents === note.credit_amount_cents - used, about);
}

/** No document that counts hangs on one that does not. */
function checkVoided({ invoices, notes }: Documents): void {
  for (const invoice of invoices.filter(({ status }) => status === "voided")) {
    const own = notes.filter(({ svc_invoice_id }) => svc_invoice_id === invoice.svc_id);
    const about = () => ({ invoice, own });
    demand("voidedInvoiceOverdue", !invoice.payment_overdue, about);
    demand("voidedInvoicePaid", invoice.payment_status !== "succeeded" || invoice.total_amount_cents === 0, about);
    const ids = new Set(own.map(({ svc_id }) => svc_id));
    const spent = invoices.filter(
      ({ status, credits }) =>
        status !== "voided" && credits.some(({ item }) => item.type === "credit_note" && ids.has(item.svc_item_id)),
    );
    demand("voidedInvoiceHasSpentNote", spent.length === 0, about);
    demand(
      "voidedInvoiceHasLiveNote",
      own.every(({ credit_status }) => credit_status !== "available"),
      about,
    );
    if (SWITCHES.voidOnlyUnspent)
      demand(
        "voidedInvoiceHasRefund",
        own.every((note) => note.refund_amount_cents === 0 || note.refund_status === "failed"),
        about,
      );
  }
}

function checkWallets({ wallets, transactions, invoices }: Documents): void {
  for (const wallet of wallets) {
    const own = transactions.filter((one) => one.svc_wallet_id === wallet.svc_id);
    const about = () => ({ wallet, own });
    const settled = own.filter(({ status }) => status === "settled");
    const signed = sumOf(settled, (one) => (one.transaction_type === "inbound" ? 1 : -1) * one.minor);
    demand("walletNegative", wallet.balance_cents >= 0, about);
    if (wallet.status === "active") demand("walletBalance", signed === wallet.balance_cents, about);
    else if (SWITCHES.endedWalletHoldsNothing) demand("endedWalletHolds", wallet.balance_cents === 0, about);
    const lots = settled.filter((one) => one.transaction_type === "inbound");
    if (lots.length > 0 && lots.every((one) => typeof one.remaining_amount_cents === "number")) {
      const left = sumOf(lots, (one) => one.remaining_amount_cents ?? 0);
      demand("walletLots", left === wallet.balance_cents, about);
    }
  }
  for (const invoice of invoices) {
    const used = transactions.filter(
      (one) => one.transaction_status === "invoiced" && one.svc_invoice_id === invoice.svc_id,
    );
    const spent = sumOf(used, (one) => one.minor);
    demand("invoicePrepaid", spent === invoice.prepaid_credit_amount_cents, () => ({ invoice, used }));
  }
}

/** Without what came back later of a purchase whose payment had bounced, which names the same invoice. */
function purchasesOf(transactions: readonly Transaction[]): Transaction[] {
  const bought = transactions.filter((one) => one.transaction_status === "purchased");
  const byInvoice = Map.groupBy(bought, (one) => one.svc_invoice_id ?? one.svc_id);
  return [...byInvoice.values()].map((all) => all.reduce((one, other) => (one.svc_id < other.svc_id ? one : other)));
}

/** Credits that were bought are there if, and only if, their invoice is paid now. */
function checkPurchases({ invoices, transactions, wallets }: Documents): void {
  const byId = new Map(invoices.map((invoice) => [invoice.svc_id, invoice]));
  const active = new Set(wallets.filter(({ status }) => status === "active").map(({ svc_id }) => svc_id));
  for (const bought of purchasesOf(transactions)) {
    const invoice = byId.get(bought.svc_invoice_id ?? "");
    const about = () => ({ bought, invoice });
    demand("purchaseWithoutInvoice", invoice !== undefined, about);
    if (invoice === undefined) continue;
    demand("purchaseAmount", bought.minor === invoice.total_amount_cents, about);
    const writtenOff = invoice.total_written_off_amount_cents ?? 0;
    // Of what was given up in part, the rest is granted.
    if (writtenOff > 0 && (!SWITCHES.paidAfterWriteOff || writtenOff === invoice.total_amount_cents)) continue;
    const isPaid = invoice.status === "finalized" && invoice.payment_status === "succeeded";
    if (isPaid && active.has(bought.svc_wallet_id))
      demand("paidPurchaseNotGranted", bought.status === "settled", about);
    if (SWITCHES.purchaseFollowsPayment && !isPaid && active.has(bought.svc_wallet_id))
      demand("unpaidPurchaseHeld", bought.status !== "settled" || bought.remaining_amount_cents === 0, about);
  }
}

function checkCoupons({ coupons, invoices }: Documents): void {
  const voided = new Set(invoices.filter(({ status }) => status === "voided").map(({ svc_id }) => svc_id));
  const shown = invoices.flatMap(({ credits }) => credits.filter(({ item }) => item.type === "coupon"));
  const owned = new Set(coupons.flatMap(({ credits }) => credits.map(({ svc_id }) => svc_id)));
  demand(
    "couponUseOfNone",
    shown.every(({ svc_id }) => owned.has(svc_id)),
    () => ({ shown, coupons }),
  );
  demand("couponUseHidden", owned.size === shown.length, () => ({ shown, coupons }));
  for (const coupon of coupons) {
    const uses = coupon.credits.filter(({ invoice }) => !voided.has(invoice.svc_id));
    const used = sumOf(uses, (use) => use.amount_cents);
    const about = () => ({ coupon, uses });
    const { amount_cents: amount, frequency, frequency_duration: duration } = coupon;
    if (frequency === "once" && amount !== null) {
      demand("couponOverspent", used <= amount, about);
      demand("couponRemaining", coupon.amount_cents_remaining === amount - used, about);
    }
    if (frequency === "once" && amount === null) demand("couponUsedTwice", uses.length <= 1, about);
    if (frequency !== "once" && amount !== null)
      demand(
        "couponTooMuch",
        uses.every((use) => use.amount_cents <= amount),
        about,
      );
    if (frequency === "recurring" && duration !== null) {
      demand("couponUsedTooOften", uses.length <= duration, about);
      demand("couponDuration", coupon.frequency_duration_remaining === duration - uses.length, about);
    }
  }
}

/** A fee that was paid is still there, alone or on an invoice. */
function checkPaidFees(now: Documents, before: Documents): void {
  const ids = new Set([...now.alone, ...now.invoices.flatMap(({ fees }) => fees)].map(({ svc_id }) => svc_id));
  for (const fee of before.alone.filter(({ payment_status }) => ["succeeded", "refunded"].includes(payment_status)))
    demand("paidFeeGone", ids.has(fee.svc_id), () => fee);
}

function checkDeleted({ invoices, subscriptions, coupons, wallets }: Documents): void {
  const live = subscriptions.filter(({ status }) => status === "active" || status === "pending");
  demand("deletedWithSubscription", live.length === 0, () => live);
  const drafts = invoices.filter(({ status }) => status === "draft");
  demand("deletedWithDraft", drafts.length === 0, () => drafts);
  const ended = [...coupons, ...wallets].every(({ status }) => status === "terminated");
  demand("deletedWithCredits", ended, () => ({ coupons, wallets }));
}
