// Credit notes on the invoices of a customer: how much is left to credit, what is refused, and what comes of the rest.

import { STORED_DECIMALS } from "@tallystick/second-opinion/credit-rules";
import {
  cutAt,
  minus,
  type Rational,
  ratio,
  rational,
  sum,
  times,
  toText,
  whole,
} from "@tallystick/second-opinion/rational";
import { type CreditNoteResult, creditedFigures, oracleCreditNote } from "./credit-note.ts";
import { named, requestedOf, requestFor, type Step, type WatchedStep } from "./customer-case.ts";
import { type History, type HistoryInvoice, type HistoryNote, isWalletOver, total } from "./customer-history.ts";
import { leftOfPurchase, writtenOffOf } from "./customer-lots.ts";
import { decimalText, ONE } from "./random-numbers.ts";

/** The notes on an invoice that keep what they took of it. */
const earlierNotes = ({ notes, rules }: History, place: number): (HistoryNote & { result: CreditNoteResult })[] =>
  notes.flatMap((note) => {
    const { result } = note;
    return note.invoice === place && result !== null && rules.countsAsCredited(note) ? [{ ...note, result }] : [];
  });

type Found = { item: HistoryInvoice; index: number };
type Items = { fee: number; cents: Rational }[];

const creditedOf = (history: History, place: number, fee: number): bigint =>
  total(itemsOn(history, place, fee).map(({ cents }) => cents));

const itemsOn = (history: History, place: number, fee: number): CreditNoteResult["items"] =>
  earlierNotes(history, place)
    .flatMap(({ result }) => result.items)
    .filter((item) => item.fee === fee);

const noteOn = (history: History, { item: invoice, index }: Found, items: Items): CreditNoteResult =>
  oracleCreditNote(
    {
      fees: invoice.fees.map(({ cents, taxes, share }, fee) => ({
        cents,
        taxes,
        coupon: toText(share),
        credited: String(creditedOf(history, index, fee)),
      })),
      invoice: creditedFigures(invoice.result.coupons, invoice.result),
      earlierNotes: earlierNotes(history, index).map(({ result }) => creditedFigures(result.couponsAdjustment, result)),
      items: items.map(({ fee, cents }) => ({ fee, cents: decimalText((cents.n * ONE) / cents.d) })),
    },
    history.rules,
  );

type Limits = { remaining: bigint; creditable: bigint; refundable: bigint; tolerance: bigint };

/** Purchased credits come back in money, to the cent, as far as they are still there; others first of all as credit. */
function limitsOf(history: History, { item: invoice, index }: Found): Limits {
  const { result, source, isPaid, fills } = invoice;
  const remaining = result.subTotalIncluding - total(earlierNotes(history, index).map((note) => note.result.total));
  if (source !== "credit") {
    const notInMoney = result.creditNotes + result.prepaid + writtenOffOf(history, index);
    const refundable = isPaid ? history.rules.refundable(remaining, notInMoney) : 0n;
    return { remaining, creditable: remaining, refundable, tolerance: 1n };
  }
  const isOver = fills === null || isWalletOver(history, fills);
  const left = isOver ? 0n : leftOfPurchase(history, fills, index);
  return { remaining, creditable: 0n, refundable: least(remaining, left), tolerance: 0n };
}

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);

type Request = { credit: bigint; refund: bigint };

function faultsOf({ credit, refund }: Request, limits: Limits, note: CreditNoteResult, isPaid: boolean): string[] {
  const { remaining, creditable, refundable, tolerance } = limits;
  const requested = credit + refund;
  const distance = requested > note.expected ? requested - note.expected : note.expected - requested;
  const faults: [string, boolean][] = [
    ["base: does_not_match_item_amounts", distance > tolerance],
    ["base: higher_than_remaining_invoice_amount", requested > remaining + tolerance],
    ["base: total_amount_must_be_positive", requested === 0n || note.total === 0n],
    ["credit_amount_cents: higher_than_remaining_invoice_amount", credit > creditable + tolerance],
    ["refund_amount_cents: cannot_refund_unpaid_invoice", refund > 0n && !isPaid],
    ["refund_amount_cents: higher_than_remaining_invoice_amount", isPaid && refund > refundable + tolerance],
  ];
  return faults.filter(([, isFault]) => isFault).map(([fault]) => fault);
}

/** A note on request, and before it what an estimate says. */
export function creditParts(
  history: History,
  step: (Step | WatchedStep) & { do: "credit" | "credit exactly" },
): unknown {
  const found = named(history.invoices, step.invoice);
  if (found === undefined || found.item.fees.length === 0) return null;
  const { item: invoice, index } = found;
  if (invoice.status !== "finalized" || (invoice.source === "credit" && !invoice.isPaid))
    return "invalid_type_or_status";
  const left = invoice.fees.map((_, fee) => leftOfFee(history, found, fee));
  const target = step.do === "credit" ? requestedOf(step.parts, left) : step.items.map(toRequested);
  const isTooMuch = target.some(
    ({ fee }) => total(target.filter((item) => item.fee === fee).map(({ cents }) => cents)) > (left[fee] ?? 0n),
  );
  if (isTooMuch) return ["amount_cents: higher_than_remaining_fee_amount"];
  const items = target.map(({ fee, cents }) => ({ fee, cents: whole(cents) }));
  const note = noteOn(history, found, items);
  const limits = limitsOf(history, found);
  const input =
    step.do === "credit" ? requestFor(note.total, step) : { credit: BigInt(step.credit), refund: BigInt(step.refund) };
  const faults = faultsOf(input, limits, note, invoice.isPaid);
  const estimate = {
    maxCreditable: least(note.total, limits.creditable),
    maxRefundable: least(note.total, limits.refundable),
  };
  if (faults.length > 0) return { estimate, faults };
  // Who wants money only gets all of it in money; a cent of difference is otherwise borne by the credit.
  const inMoney = input.credit === 0n ? note.total : input.refund;
  const refund = least(least(inMoney, note.total), limits.refundable);
  return { estimate, note: keep(history, { place: index, note, refund }) };
}

const toRequested = ({ fee, cents }: { fee: number; cents: string }) => ({ fee, cents: BigInt(cents) });

const leftOfFee = (history: History, { item, index }: Found, fee: number): bigint =>
  BigInt(item.fees[fee]?.cents ?? "0") - creditedOf(history, index, fee);

/** Days that were paid for and are not used, to 5 decimals of a minor unit. */
export function creditUnused(history: History, step: Step & { do: "credit unused" }): unknown {
  const found = named(history.invoices, step.invoice);
  const fee = found === undefined ? undefined : named(found.item.fees, step.fee);
  if (found === undefined || fee === undefined) return null;
  const { status, source } = found.item;
  if (status !== "finalized" || source !== "subscription") return null;
  const before = sum(itemsOn(history, found.index, fee.index).map(({ stored }) => stored));
  const left = minus(rational(fee.item.cents), before);
  if (left.n <= 0n) return null;
  const cents = cutAt(times(left, ratio(BigInt(step.millionths), 1_000_000n)), STORED_DECIMALS);
  if (cents.n === 0n) return null;
  const note = noteOn(history, found, [{ fee: fee.index, cents }]);
  return note.total === 0n ? null : keep(history, { place: found.index, note, refund: 0n });
}

/** What was paid for a wallet that is over goes back in money. */
export function refundPurchase(history: History, place: number, refund: bigint): unknown {
  const item = history.invoices[place];
  if (item === undefined) return null;
  const note = noteOn(history, { item, index: place }, [{ fee: 0, cents: whole(refund) }]);
  return keep(history, { place, note, refund });
}

function keep(history: History, { place, note, refund }: { place: number; note: CreditNoteResult; refund: bigint }) {
  const credit = note.total - refund;
  const { expected, ...figures } = note;
  history.moves.push({ do: "refunded", invoice: place, cents: refund });
  history.notes.push({
    invoice: place,
    at: history.now,
    isForeign: false,
    isVoided: false,
    credit,
    refund,
    result: note,
  });
  return { ...figures, credit, refund };
}
