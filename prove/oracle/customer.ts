// What happens to a customer's invoices and to all that pays for them, step by step.

import { type CreditRules, RULES, STORED_DECIMALS } from "@tallystick/second-opinion/credit-rules";
import { type InvoiceResult, oracleInvoice } from "@tallystick/second-opinion/invoice";
import {
  cutAt,
  minorUnits,
  nearestAt,
  type Rational,
  ratio,
  rational,
  times,
} from "@tallystick/second-opinion/rational";
import {
  type CustomerFee,
  named,
  type Step,
  timeOf,
  type WatchedCase,
  type WatchedStep,
  writeOffOf,
} from "./customer-case.ts";
import {
  couponNow,
  type History,
  type HistoryInvoice,
  holdings,
  isCouponOver,
  isUsedUp,
  isWalletOver,
  noteBalance,
} from "./customer-history.ts";
import { isPurchaseSpent, leftOfPurchase, walletBalance, writtenOffOf } from "./customer-lots.ts";
import { creditParts, creditUnused, refundPurchase } from "./customer-notes.ts";

export type CustomerOutcome = { answer: unknown; holdings: ReturnType<typeof holdings> };

/** The answer to each step, and what the customer has left after it. */
export function oracleCustomer(given: WatchedCase, rules: CreditRules = RULES): CustomerOutcome[] {
  const history: History = {
    given: { ...given, coupons: [...given.coupons] },
    rules,
    now: 0,
    invoices: [],
    notes: given.notes.map(({ balance, at, isForeign, invoice }) => ({
      invoice,
      at,
      isForeign,
      isVoided: false,
      credit: BigInt(balance),
      refund: 0n,
      result: null,
    })),
    endedWallets: new Set(),
    endedCoupons: new Set(),
    withdrawnCoupons: new Set(),
    moves: [],
  };
  return given.steps.map((step, index) => {
    history.now = timeOf(index);
    expire(history);
    return { answer: take(history, step), holdings: holdings(history) };
  });
}

function take(history: History, step: Step | WatchedStep): unknown {
  switch (step.do) {
    case "bill":
      return bill(history, { form: step.form, fees: step.fees, place: history.invoices.length });
    case "finalize":
    case "pay":
    case "bounce":
    case "void": {
      const found = named(history.invoices, step.invoice);
      return found === undefined ? null : CHANGES[step.do](history, found.item, found.index);
    }
    case "credit":
    case "credit exactly":
      return creditParts(history, step);
    case "credit unused":
      return creditUnused(history, step);
    case "void note":
      return voidNote(history, step.note);
    case "grant":
    case "buy":
    case "void credits":
      return fill(history, step);
    case "apply coupon":
      history.given.coupons.push({ ...step.coupon, appliedAt: history.now });
      return null;
    case "write off":
    case "write off exactly":
      return writeOff(history, step);
    case "close wallet":
    case "end wallet":
    case "end coupon":
      return end(history, step);
  }
}

type Form = "finalized" | "draft" | "one_off" | "credit";
type Bill = { form: Form; fees: readonly CustomerFee[]; place: number; fills?: number };

/** The places of those that may be used. */
const places = <Item>(items: readonly Item[], isUsable: (item: Item, place: number) => boolean): number[] =>
  items.flatMap((item, place) => (isUsable(item, place) ? [place] : []));

/** Values that belong to chosen places of a list; nothing elsewhere. */
function atPlaces<Value>(length: number, chosen: readonly number[], values: readonly Value[]): (Value | undefined)[] {
  return Array.from({ length }, (_, place) => values[chosen.indexOf(place)]);
}

const used = (amounts: readonly (bigint | undefined)[]) =>
  amounts.map((amount) => (amount === 0n ? undefined : amount));

function usable(history: History, { form, place }: Bill) {
  const { given, rules } = history;
  if (!rules.isSpending(form)) return { coupons: [], notes: [], wallets: [] };
  return {
    coupons: places(given.coupons, (coupon, index) => rules.mayUseCoupon(coupon) && !isCouponOver(history, index)),
    notes: places(history.notes, ({ isForeign, invoice }) => rules.mayUseNote({ isForeign, isOwn: invoice === place })),
    wallets: places(given.wallets, ({ isForeign }, index) =>
      rules.mayUseWallet({ isForeign, isOver: isWalletOver(history, index) }),
    ),
  };
}

function taxesOf({ given, rules }: History, { kind, ownTaxes, planTaxes }: CustomerFee) {
  if (kind === "credit") return [];
  const levels = kind === "subscription" ? [planTaxes] : [ownTaxes, planTaxes];
  return rules.taxesOf([...levels, given.customerTaxes, given.organizationTaxes]);
}

const pick = <Item>(items: readonly Item[], chosen: readonly number[]): Item[] =>
  chosen.flatMap((place) => items[place] ?? []);

function bill(history: History, made: Bill): unknown {
  const { given, rules } = history;
  const fees = made.fees.map((fee) => ({
    cents: fee.cents,
    planCode: fee.planCode,
    metricCode: fee.kind === "charge" ? fee.metricCode : null,
    taxes: taxesOf(history, fee),
  }));
  const { coupons, notes, wallets } = usable(history, made);
  const result = oracleInvoice(
    {
      digits: given.digits,
      fees,
      coupons: pick(
        given.coupons.map((coupon, index) => couponNow(history, coupon, index)),
        coupons,
      ),
      creditNotes: pick(
        history.notes.map(({ at }, index) => ({ at, balance: String(noteBalance(history, index)) })),
        notes,
      ),
      wallets: pick(
        given.wallets.map((wallet, index) => ({ ...wallet, balance: String(walletBalance(history, index)) })),
        wallets,
      ),
    },
    rules,
  );
  const invoice: HistoryInvoice = {
    status: made.form === "draft" ? "draft" : "finalized",
    source: made.form === "one_off" || made.form === "credit" ? made.form : "subscription",
    isPaid: result.total === 0n,
    fees: fees.map(({ cents, taxes }, index) => ({ cents, taxes, share: stored(result, index) })),
    result,
    used: {
      coupons: used(atPlaces(given.coupons.length, coupons, result.couponUse)),
      notes: used(atPlaces(history.notes.length, notes, result.creditNoteUse)),
      wallets: used(atPlaces(given.wallets.length, wallets, result.walletUse)),
    },
    walletCredits: atPlaces(given.wallets.length, wallets, result.walletCredits),
    returnedTo: new Set(),
    fills: made.fills ?? null,
    made: made.fees,
  };
  history.invoices[made.place] = invoice;
  for (const [wallet, cents] of invoice.used.wallets.entries())
    if (cents !== undefined) history.moves.push({ do: "left", wallet, invoice: made.place, cents });
  return answerOf(invoice);
}

const stored = ({ shares }: InvoiceResult, fee: number): Rational =>
  nearestAt(shares[fee] ?? { n: 0n, d: 1n }, STORED_DECIMALS);

export type InvoiceAnswer = ReturnType<typeof answerOf>;

function answerOf({ result, used: uses, walletCredits }: HistoryInvoice) {
  const { couponUse, creditNoteUse, walletUse, walletCredits: _, ...figures } = result;
  const credits = walletCredits.map((amount, wallet) => (uses.wallets[wallet] === undefined ? undefined : amount));
  return { ...figures, uses, credits, payment: result.total === 0n ? "succeeded" : "pending" };
}

type Change = (history: History, invoice: HistoryInvoice, place: number) => unknown;

const CHANGES: Readonly<Record<"finalize" | "pay" | "bounce" | "void", Change>> = {
  finalize: (history, invoice, place) =>
    invoice.status === "draft" ? bill(history, { form: "finalized", fees: invoice.made, place }) : null,

  /** What is paid for a wallet that is over goes back. */
  pay: (history, invoice, place) => {
    if (invoice.status !== "finalized" || invoice.isPaid) return false;
    invoice.isPaid = true;
    // Paid after all: what was given up as a whole is not given up.
    const givenUp = writtenOffOf(history, place);
    if (givenUp === invoice.result.total) history.moves.push({ do: "written off", invoice: place, cents: -givenUp });
    history.moves.push({ do: "paid", invoice: place });
    const { fills } = invoice;
    if (fills === null || !isWalletOver(history, fills)) return true;
    const refund = leftOfPurchase(history, fills, place);
    return refund === 0n ? true : { note: refundPurchase(history, place, refund) };
  },

  bounce: (history, invoice, place) => {
    if (invoice.status !== "finalized" || !invoice.isPaid) return false;
    invoice.isPaid = false;
    history.moves.push({ do: "bounced", invoice: place });
    return true;
  },

  /** Only what is final and not paid, and of which nothing was credited, refunded, written off, or bought and spent. */
  void: (history, invoice, place) => {
    const { notes, given, rules } = history;
    const isKept = notes.some(
      (note, index) => note.invoice === place && note.result !== null && mattersStill(history, index),
    );
    if (invoice.status !== "finalized" || invoice.isPaid || isKept) return false;
    if (writtenOffOf(history, place) > 0n || isPurchaseSpent(history, place)) return false;
    const dead = places(
      invoice.used.coupons,
      (use, coupon) =>
        use !== undefined && isUsedUp(history, coupon) && !rules.isRevived(history.withdrawnCoupons.has(coupon)),
    );
    for (const coupon of dead) history.endedCoupons.add(coupon);
    invoice.returnedTo = new Set(
      places(given.wallets, (_, wallet) => rules.returnsToWallet(isWalletOver(history, wallet))),
    );
    invoice.status = "voided";
    history.moves.push({ do: "returned", invoice: place });
    return true;
  },
};

/** A note that can be spent, ever was, or goes back in money. */
function mattersStill({ notes, invoices }: History, place: number): boolean {
  const note = notes[place];
  if (note === undefined) return false;
  return (!note.isVoided && note.credit > 0n) || note.refund > 0n || invoices.some(({ used }) => used.notes[place]);
}

/** Of what is due: neither paid nor written off. */
function writeOff(
  history: History,
  step: (Step | WatchedStep) & { do: "write off" | "write off exactly" },
): bigint | string | null {
  const found = named(history.invoices, step.invoice);
  if (found === undefined) return null;
  const { item, index } = found;
  const isOpen = item.status === "finalized" && !item.isPaid;
  const due = isOpen ? item.result.total - writtenOffOf(history, index) : 0n;
  if (due === 0n) return "not_due";
  const cents = step.do === "write off" ? writeOffOf(due, step.thousandths) : BigInt(step.cents);
  if (cents > due) return "higher_than_due_amount";
  history.moves.push({ do: "written off", invoice: index, cents });
  return cents;
}

function voidNote(history: History, number: number): boolean | null {
  const found = named(history.notes, number);
  if (found === undefined) return null;
  if (noteBalance(history, found.index) === 0n) return false;
  found.item.isVoided = true;
  return true;
}

/** Credits are truncated to 5 decimals; only whole minor units of money exist, and the credits follow them. */
function fill(history: History, step: (Step | WatchedStep) & { do: "grant" | "buy" | "void credits" }): unknown {
  const found = named(history.given.wallets, step.wallet);
  if (found === undefined) return null;
  const { digits } = history.given;
  const rate = rational(found.item.rate);
  if (isWalletOver(history, found.index)) return "wallet_is_terminated";
  const cents = minorUnits(times(cutAt(rational(step.credits), STORED_DECIMALS), rate), digits);
  if (cents === 0n) return "amount_rounds_to_zero";
  const credits = history.rules.creditsOf(ratio(cents, 10n ** BigInt(digits)), rate);
  if (step.do === "void credits" && cents > walletBalance(history, found.index)) return "insufficient_credits";
  if (step.do !== "buy") {
    const how = step.do === "grant" ? "came" : "left";
    history.moves.push({ do: how, wallet: found.index, invoice: null, cents });
    return { cents, credits };
  }
  const fee = {
    kind: "credit",
    cents: String(cents),
    planCode: "",
    metricCode: "",
    ownTaxes: [],
    planTaxes: [],
  } as const;
  const fees = [{ ...fee, ownTaxes: [], planTaxes: [] }];
  history.moves.push({ do: "came", wallet: found.index, invoice: history.invoices.length, cents });
  return {
    cents,
    credits,
    invoice: bill(history, { form: "credit", fees, place: history.invoices.length, fills: found.index }),
  };
}

/** Wallets whose time has come. */
function expire(history: History): void {
  for (const wallet of history.given.wallets.keys())
    if (isWalletOver(history, wallet) && !history.endedWallets.has(wallet)) endWallet(history, wallet);
}

/** What it holds is lost, and what is not paid for it is voided. */
function endWallet(history: History, wallet: number): void {
  if (history.endedWallets.has(wallet)) return;
  if (history.rules.losesRestAtEnd()) history.moves.push({ do: "over", wallet });
  history.endedWallets.add(wallet);
  for (const [place, invoice] of history.invoices.entries())
    if (invoice.fills === wallet) CHANGES.void(history, invoice, place);
}

function end(
  history: History,
  step: (Step | WatchedStep) & { do: "end wallet" | "close wallet" | "end coupon" },
): null {
  if (step.do === "end wallet") {
    const wallet = named(history.given.wallets, step.wallet);
    if (wallet !== undefined) endWallet(history, wallet.index);
    return null;
  }
  if (step.do === "close wallet") {
    if (history.endedWallets.has(step.wallet)) return null;
    history.moves.push({ do: "over", wallet: step.wallet });
    history.endedWallets.add(step.wallet);
    return null;
  }
  const coupon = named(history.given.coupons, step.coupon);
  if (coupon === undefined) return null;
  if (step.how !== "terminated") history.withdrawnCoupons.add(coupon.index);
  // One that is used up has ended by itself, and lives again if that is undone.
  if (step.how !== "expired" && !isUsedUp(history, coupon.index)) history.endedCoupons.add(coupon.index);
  return null;
}
