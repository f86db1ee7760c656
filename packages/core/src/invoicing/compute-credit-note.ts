/** Credit notes on request and by the service itself: their amounts, or why they are refused. */
import { type Faults, fail, ok, type Result } from "../catalog/index.ts";
import {
  type Decimal,
  type Exact,
  fraction,
  leastMinor,
  type Minor,
  minor,
  NOTHING,
  roundMinor,
  sumMinor,
  truncateTo,
} from "../money/index.ts";
import {
  type CreditedInvoice,
  type CreditItem,
  creditedByFee,
  creditPart,
  creditsTheRest,
  expectedTotal,
  type NoteFigures,
  noteFigures,
  remainingOf,
  type TaxAmount,
  withinRemaining,
} from "./credit-note-amounts.ts";
import { type CreditNoteDerivation, creditNoteDerivation } from "./credit-note-derivation.ts";
import type { Tax } from "./fee.ts";
import { averageRate, taxKey, taxLines } from "./tax.ts";

/** An invoice that a request credits. */
export type CreditableInvoice = CreditedInvoice & {
  readonly status: "draft" | "finalized" | "voided";
  readonly isPaid: boolean;
  /** Never paid, so never refunded. */
  readonly writtenOffMinor: Minor;
  /** Purchased credits are refunded only up to the rest of their own lot. */
  readonly source:
    | { readonly type: "subscription" | "one_off" | "advance_charges" }
    | { readonly type: "credit"; readonly lotMinor: Minor };
};

export type RequestedItem = { readonly feeId: string; readonly amountMinor: Minor };

export type CreditNoteRequest = {
  readonly items: readonly RequestedItem[];
  readonly creditMinor: Minor;
  readonly refundMinor: Minor;
};

/** The status and code of the API, or faults by its fields. */
export type CreditNoteRefusal =
  | { readonly type: "not_allowed"; readonly code: "invalid_type_or_status" }
  | { readonly type: "not_found"; readonly code: "fee_not_found"; readonly feeIds: readonly string[] }
  /** `expectedMinor`: what credit and refund together must be, if they are not. */
  | { readonly type: "invalid"; readonly faults: Faults; readonly expectedMinor?: Minor };

type NoteAmounts = NoteFigures & {
  readonly items: readonly (RequestedItem & { readonly amount: Decimal })[];
  readonly taxLines: readonly (TaxAmount & { readonly baseMinor: Minor })[];
  readonly taxesRate: Decimal;
  readonly derivation: CreditNoteDerivation;
};

/** A new note. Its balance is its credit. */
export type CreditNote = NoteAmounts & {
  readonly creditMinor: Minor;
  readonly creditStatus: "available" | null;
  readonly refundMinor: Minor;
  readonly refundStatus: "pending" | null;
};

export type CreditNoteEstimate = NoteAmounts & {
  readonly maxCreditableMinor: Minor;
  readonly maxRefundableMinor: Minor;
};

const ITEM_DIGITS = 5;

const NO_MATCH = "does_not_match_item_amounts";

/** A note on request. The total follows from the items. If it differs by a cent from the requested amount, the credit bears the cent. */
export function computeCreditNote(
  invoice: CreditableInvoice,
  input: CreditNoteRequest,
): Result<CreditNote, CreditNoteRefusal> {
  const items = acceptedItems(invoice, input.items);
  if (!items.ok) return items;
  const { amounts, expectedMinor } = noteAmounts(invoice, items.value);
  const faults = amountFaults(invoice, input, { totalMinor: amounts.totalMinor, expectedMinor });
  if (faults.base?.includes(NO_MATCH)) return fail({ type: "invalid", faults, expectedMinor });
  if (Object.keys(faults).length > 0) return fail({ type: "invalid", faults });
  const refundRequested = input.creditMinor === 0n ? amounts.totalMinor : input.refundMinor;
  const refundMinor = leastMinor(
    leastMinor(refundRequested, amounts.totalMinor),
    creditLimits(invoice).refundableMinor,
  );
  return ok(newNote(amounts, refundMinor));
}

/** The amount of a note on these items, and how much of it can be credited or refunded. */
export function estimateCreditNote(
  invoice: CreditableInvoice,
  requested: readonly RequestedItem[],
): Result<CreditNoteEstimate, CreditNoteRefusal> {
  const items = acceptedItems(invoice, requested);
  if (!items.ok) return items;
  const { amounts } = noteAmounts(invoice, items.value);
  const { creditableMinor, refundableMinor } = creditLimits(invoice);
  return ok({
    ...amounts,
    maxCreditableMinor: leastMinor(amounts.totalMinor, creditableMinor),
    maxRefundableMinor: leastMinor(amounts.totalMinor, refundableMinor),
  });
}

/**
 * What comes back for paid days that are not used, as credit. `isRefunded`: in money, as far as it was paid. null: coupons left nothing to
 * give back.
 */
export function creditForUnused(
  invoice: CreditableInvoice,
  unused: readonly { readonly feeId: string; readonly amount: Exact }[],
  isRefunded = false,
): CreditNote | null {
  const items = unused.map(({ feeId, amount }) => {
    const fee = invoice.fees.find(({ id }) => id === feeId);
    if (!fee) throw new RangeError("A fee is credited that is not on the invoice.");
    return { fee, amount: fraction(amount) };
  });
  const { amounts } = noteAmounts(invoice, items);
  if (amounts.totalMinor === 0n) return null;
  return newNote(
    amounts,
    isRefunded ? leastMinor(amounts.totalMinor, creditLimits(invoice).refundableMinor) : minor(0n),
  );
}

/** The refund of a purchase that was paid after its wallet ended. The balances of wallets do not limit it. */
export function refundForPurchase(invoice: CreditedInvoice, refundMinor: Minor): CreditNote {
  const [fee] = invoice.fees;
  if (!fee) throw new RangeError("A purchase without a fee is refunded.");
  return newNote(noteAmounts(invoice, [{ fee, amount: fraction(refundMinor) }]).amounts, refundMinor);
}

/** What can still be given back: in total, as credit, and, for a paid invoice, in money. */
export type CreditLimits = {
  readonly remainingMinor: Minor;
  readonly creditableMinor: Minor;
  readonly refundableMinor: Minor;
};

/** Amounts paid by notes and prepaid credits are given back as credit; purchased credits only in money. */
export function creditLimits(invoice: CreditableInvoice): CreditLimits {
  const { figures, earlierNotes, isPaid, source } = invoice;
  const earlierMinor = sumMinor(earlierNotes.map(({ totalMinor }) => totalMinor));
  const remainingMinor = minor(figures.subTotalIncludingTaxesMinor - earlierMinor);
  const nothing = minor(0n);
  if (source.type === "credit") {
    const refundableMinor = isPaid ? leastMinor(remainingMinor, source.lotMinor) : nothing;
    return { remainingMinor, creditableMinor: nothing, refundableMinor };
  }
  const inMoney = remainingMinor - figures.creditNotesMinor - figures.prepaidMinor - invoice.writtenOffMinor;
  return {
    remainingMinor,
    creditableMinor: remainingMinor,
    refundableMinor: minor(isPaid && inMoney > 0n ? inMoney : 0n),
  };
}

function noteAmounts(
  invoice: CreditedInvoice,
  items: readonly CreditItem[],
): { readonly amounts: NoteAmounts; readonly expectedMinor: Minor } {
  const parts = items.map(creditPart);
  const isRest = creditsTheRest(invoice.fees, items);
  const terms = { parts, remaining: remainingOf(invoice), isRest };
  const figures = noteFigures(terms);
  const lines = taxLines(parts);
  const leftOf = taxAmountsLeft(invoice);
  const amounts = {
    ...figures,
    items: items.map(({ fee, amount }) => ({
      feeId: fee.id,
      amount: truncateTo(amount, ITEM_DIGITS),
      amountMinor: leastMinor(roundMinor(amount), minor(fee.amountMinor - fee.creditedMinor)),
    })),
    taxLines: lines.map(({ tax, baseMinor, exact }) => ({
      tax,
      baseMinor,
      amountMinor: roundMinor(withinRemaining(exact, leftOf(tax), isRest)),
    })),
    taxesRate: averageRate(lines, parts),
    derivation: creditNoteDerivation(invoice.currency, { items, terms, figures }),
  };
  return { amounts, expectedMinor: expectedTotal(terms) };
}

/** What earlier notes left of a tax. */
function taxAmountsLeft({ taxLines: lines, earlierNotes }: CreditedInvoice): (tax: Tax) => Minor {
  const earlier = earlierNotes.flatMap((note) => note.taxLines);
  const amountIn = (amounts: readonly TaxAmount[], key: string): Minor =>
    sumMinor(amounts.filter(({ tax }) => taxKey(tax) === key).map(({ amountMinor }) => amountMinor));
  return (tax) => minor(amountIn(lines, taxKey(tax)) - amountIn(earlier, taxKey(tax)));
}

function newNote(amounts: NoteAmounts, refundMinor: Minor): CreditNote {
  const creditMinor = minor(amounts.totalMinor - refundMinor);
  return {
    ...amounts,
    creditMinor,
    creditStatus: creditMinor === 0n ? null : "available",
    refundMinor,
    refundStatus: refundMinor === 0n ? null : "pending",
  };
}

/** The items with their fees. Only a finalized invoice can be credited, and an invoice for credits only once it is paid. */
function acceptedItems(
  invoice: CreditableInvoice,
  target: readonly RequestedItem[],
): Result<readonly CreditItem[], CreditNoteRefusal> {
  if (invoice.status !== "finalized" || (invoice.source.type === "credit" && !invoice.isPaid)) {
    return fail({ type: "not_allowed", code: "invalid_type_or_status" });
  }
  const fees = new Map(invoice.fees.map((fee) => [fee.id, fee]));
  const items = target.flatMap(({ feeId, amountMinor }) => {
    const fee = fees.get(feeId);
    return fee ? [{ fee, amount: fraction(amountMinor) }] : [];
  });
  const feeIds = target.map(({ feeId }) => feeId).filter((id) => !fees.has(id));
  if (feeIds.length > 0) return fail({ type: "not_found", code: "fee_not_found", feeIds });
  const codes = itemCodes(items);
  return codes.length === 0 ? ok(items) : fail({ type: "invalid", faults: { amount_cents: codes } });
}

function itemCodes(items: readonly CreditItem[]): readonly string[] {
  const credited = creditedByFee(items);
  const isNegative = items.some(({ amount }) => amount.isBelow(0n));
  const isTooHigh = items.some(({ fee }) =>
    (credited.get(fee.id) ?? NOTHING).plus(fee.creditedMinor).isAbove(fee.amountMinor),
  );
  return [...(isNegative ? ["invalid_value"] : []), ...(isTooHigh ? ["higher_than_remaining_fee_amount"] : [])];
}

function amountFaults(
  invoice: CreditableInvoice,
  { creditMinor, refundMinor }: CreditNoteRequest,
  { totalMinor, expectedMinor }: { totalMinor: Minor; expectedMinor: Minor },
): Faults {
  const { remainingMinor, creditableMinor, refundableMinor } = creditLimits(invoice);
  // A caller that rounds differently may be a cent off. Purchased credits have no taxes, so they have no rounding.
  const tolerance = invoice.source.type === "credit" ? 0n : 1n;
  const query = creditMinor + refundMinor;
  const isMatching = query >= expectedMinor - tolerance && query <= expectedMinor + tolerance;
  const isRefundUnpaid = refundMinor > 0n && !invoice.isPaid;
  const isRefundTooHigh = invoice.isPaid && refundMinor > refundableMinor + tolerance;
  const tooHigh = "higher_than_remaining_invoice_amount";
  const checks: readonly [boolean, string, string][] = [
    [creditMinor < 0n, "credit_amount_cents", "value_is_out_of_range"],
    [creditMinor > creditableMinor + tolerance, "credit_amount_cents", tooHigh],
    [refundMinor < 0n, "refund_amount_cents", "value_is_out_of_range"],
    [isRefundUnpaid, "refund_amount_cents", "cannot_refund_unpaid_invoice"],
    [isRefundTooHigh, "refund_amount_cents", tooHigh],
    [query > remainingMinor + tolerance, "base", tooHigh],
    [!isMatching, "base", NO_MATCH],
    [query <= 0n || totalMinor <= 0n, "base", "total_amount_must_be_positive"],
  ];
  const faults: Record<string, string[]> = {};
  for (const [isFault, field, code] of checks) {
    if (isFault) faults[field] = [...(faults[field] ?? []), code];
  }
  return faults;
}
