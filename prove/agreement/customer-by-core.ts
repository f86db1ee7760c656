/** A customer's invoices and all that pays for them, step by step, as core decides and the service would store it. */
import {
  amountDue,
  computeInvoice,
  type Fee,
  giveBackCoupon,
  giveBackCreditNote,
  giveBackWallet,
  type InvoiceInput,
  keepsInvoice,
  markPaid,
  mayVoid,
  type OwedInvoice,
  parseTopUp,
  voidCreditNote,
  writeOff,
} from "@tallystick/core/invoicing";
import { minor, ZERO } from "@tallystick/core/money";
import { type CustomerCase, type CustomerFee, named, type Step, timeOf, writeOffOf } from "../oracle/customer-case.ts";
import {
  type Account,
  type AccountCoupon,
  type AccountInvoice,
  type AccountNote,
  type AccountWallet,
  holdingsOf,
  isOver,
} from "./account.ts";
import { addLot, empty, followPayment, isSpent, returnTo, takeFrom } from "./account-lots.ts";
import { currencyWith, foreignCurrencyWith, rationalOf } from "./comparison.ts";
import { creditPartsByCore, creditUnusedByCore, refundPurchaseByCore } from "./customer-notes-by-core.ts";
import { figuresOf, usesOf } from "./invoice-figures.ts";
import { centsOf, couponOf, idOf, instantOf, taxOf, walletOf } from "./invoice-input.ts";

export function customerByCore(given: CustomerCase): unknown[] {
  const account = open(given);
  return given.steps.map((step, index) => {
    account.now = instantOf(timeOf(index));
    expire(account);
    return { answer: take(account, step), holdings: holdingsOf(account) };
  });
}

/** Wallets whose time has come. */
function expire(account: Account): void {
  for (const wallet of account.wallets) if (isOver(account, wallet) && !wallet.isEnded) endWallet(account, wallet);
}

/** What it holds is lost, and what is not paid for it is voided. */
function endWallet(account: Account, ended: AccountWallet): void {
  if (ended.isEnded) return;
  empty(ended);
  ended.isEnded = true;
  for (const [place, invoice] of account.invoices.entries())
    if (invoice.fills === ended) CHANGES.void(account, invoice, place);
}

function open(given: CustomerCase): Account {
  const currencyOf = ({ isForeign }: { isForeign: boolean }) =>
    (isForeign ? foreignCurrencyWith : currencyWith)(given.digits);
  const account: Account = {
    given,
    currency: currencyWith(given.digits),
    now: instantOf(0),
    coupons: given.coupons.map((coupon, index) => ({
      applied: couponOf(coupon, index, currencyOf(coupon)),
      status: "active",
      isWithdrawn: false,
    })),
    notes: given.notes.map((note, index) => ({
      id: idOf(index),
      invoiceId: note.invoice === null ? "another" : idOf(note.invoice),
      currency: currencyOf(note),
      createdAt: instantOf(note.at),
      balanceMinor: centsOf(note.balance),
      status: "available",
    })),
    wallets: given.wallets.map((wallet, index) => ({
      wallet: {
        ...walletOf(wallet, index, currencyOf(wallet)),
        expiresAt: wallet.expiresAt === null ? null : instantOf(wallet.expiresAt),
      },
      lots: [],
      isEnded: false,
      consumedMinor: minor(0n),
      consumedCredits: ZERO,
    })),
    invoices: [],
  };
  for (const [index, { balance }] of given.wallets.entries()) {
    const [filled, createdAt] = [account.wallets[index], instantOf(0)];
    if (filled) addLot(filled, { kind: "granted", amountMinor: centsOf(balance), createdAt, invoice: null });
  }
  return account;
}

function take(account: Account, step: Step): unknown {
  switch (step.do) {
    case "bill": {
      const form: InvoiceInput["form"] =
        step.form === "one_off"
          ? { type: "one_off", status: "finalized" }
          : { type: "subscription", status: step.form };
      return bill(account, { form, fees: step.fees.map(feeOf), place: account.invoices.length });
    }
    case "finalize":
    case "pay":
    case "bounce":
    case "void": {
      const found = named(account.invoices, step.invoice);
      return found === undefined ? null : CHANGES[step.do](account, found.item, found.index);
    }
    case "credit":
      return creditPartsByCore(account, step);
    case "credit unused":
      return creditUnusedByCore(account, step);
    case "void note":
      return voidNote(named(account.notes, step.note)?.item);
    case "grant":
    case "buy":
      return fill(account, step);
    case "end wallet": {
      const wallet = named(account.wallets, step.wallet)?.item;
      if (wallet) endWallet(account, wallet);
      return null;
    }
    case "write off": {
      const found = named(account.invoices, step.invoice);
      return found === undefined ? null : writeOffByCore(found.item, step.thousandths);
    }
    case "end coupon":
      return endCoupon(named(account.coupons, step.coupon)?.item, step.how);
  }
}

function feeOf(fee: CustomerFee, index: number): Fee {
  const [own, plan] = [fee.ownTaxes.map(taxOf), fee.planTaxes.map(taxOf)];
  const { planCode, metricCode } = fee;
  const items: Record<CustomerFee["kind"], Fee["item"]> = {
    subscription: { kind: "subscription", planCode, planTaxes: plan },
    charge: { kind: "charge", planCode, metricCode, chargeTaxes: own, planTaxes: plan },
    commitment: { kind: "commitment", planCode, commitmentTaxes: own, planTaxes: plan },
    add_on: { kind: "add_on", feeTaxes: own, addOnTaxes: plan },
    credit: { kind: "credit" },
  };
  return { id: idOf(index), label: "fee", amountMinor: centsOf(fee.cents), item: items[fee.kind] };
}

type Bill = { form: InvoiceInput["form"]; fees: readonly Fee[]; place: number; fills?: AccountInvoice["fills"] };

function bill(account: Account, { form, fees, place, fills = null }: Bill): unknown {
  const { given, coupons, notes, wallets } = account;
  const id = idOf(place);
  const computed = computeInvoice({
    id,
    form,
    currency: account.currency,
    at: account.now,
    fees,
    taxes: { customer: given.customerTaxes.map(taxOf), organization: given.organizationTaxes.map(taxOf) },
    coupons: coupons.filter(({ status }) => status === "active").map(({ applied }) => applied),
    creditNotes: notes.filter(({ status }) => status === "available").map((note) => ({ ...note, number: note.id })),
    wallets: wallets.filter(({ isEnded }) => !isEnded).map(({ wallet }) => wallet),
  });
  const takes = spend(account, computed);
  account.invoices[place] = {
    id,
    status: form.status,
    type: form.type,
    isPaid: computed.paymentStatus === "succeeded",
    fees,
    computed,
    notes: [],
    fills,
    takes,
    writtenOffMinor: minor(0n),
  };
  return answerOf(account, computed);
}

function spend({ coupons, notes, wallets }: Account, computed: AccountInvoice["computed"]): AccountInvoice["takes"] {
  for (const { coupon, left, isTerminated } of computed.couponUses) {
    const used = byId(coupons, coupon.id, ({ applied }) => applied.id);
    used.applied = { ...coupon, state: { ...coupon.state, left } as typeof coupon.state };
    if (isTerminated) used.status = "terminated";
  }
  for (const { note, balanceMinor, status } of computed.creditNoteUses)
    Object.assign(
      byId(notes, note.id, ({ id }) => id),
      { balanceMinor, status },
    );
  const takes: AccountInvoice["takes"] = new Map();
  for (const { wallet, amountMinor, credits } of computed.walletUses) {
    const used = byId(wallets, wallet.id, ({ wallet: { id } }) => id);
    takes.set(used, takeFrom(used, amountMinor));
    used.consumedMinor = minor(used.consumedMinor + amountMinor);
    used.consumedCredits = used.consumedCredits.plus(credits);
  }
  return takes;
}

function byId<Item>(items: readonly Item[], id: string, idOfItem: (item: Item) => string): Item {
  const found = items.find((item) => idOfItem(item) === id);
  if (found === undefined) throw new Error(`core uses ${id}, which was not given to it`);
  return found;
}

function answerOf({ coupons, notes, wallets }: Account, computed: AccountInvoice["computed"]) {
  const { credits, ...uses } = usesOf(computed, coupons, notes, wallets);
  return { ...figuresOf(computed), uses, credits, payment: computed.paymentStatus };
}

type Change = (account: Account, invoice: AccountInvoice, place: number) => unknown;

const CHANGES: Readonly<Record<"finalize" | "pay" | "bounce" | "void", Change>> = {
  finalize: (account, { status, fees }, place) =>
    status === "draft" ? bill(account, { form: { type: "subscription", status: "finalized" }, fees, place }) : null,

  pay: (account, invoice, place) => {
    const isPayable = invoice.status === "finalized" && !invoice.isPaid;
    if (!isPayable) return false;
    invoice.writtenOffMinor = markPaid(owedOf(invoice)).writtenOffMinor;
    invoice.isPaid = true;
    const { fills } = invoice;
    const refundMinor = fills ? followPayment(fills, invoice, place, isOver(account, fills)) : 0n;
    return refundMinor === 0n ? true : { note: refundPurchaseByCore(account, invoice, minor(refundMinor)) };
  },

  bounce: (account, invoice, place) => {
    if (invoice.status !== "finalized" || !invoice.isPaid) return false;
    invoice.isPaid = false;
    if (invoice.fills) followPayment(invoice.fills, invoice, place, isOver(account, invoice.fills));
    return true;
  },

  void: (account, invoice, place) => {
    const isVoidable = mayVoid({
      status: invoice.status,
      paymentStatus: invoice.isPaid ? "succeeded" : "pending",
      isDisputeLost: false,
      isKeptByCreditNote: invoice.notes.some(({ id, note }) =>
        keepsInvoice({
          creditStatus: byId(account.notes, id, (one) => one.id).status,
          refundStatus: note.refundStatus,
          wasSpent: account.invoices.some(({ computed }) => computed.creditNoteUses.some((use) => use.note.id === id)),
        }),
      ),
      isPurchaseSpent: invoice.fills !== null && isSpent(account, invoice.fills, place),
      writtenOffMinor: invoice.writtenOffMinor,
    });
    if (!isVoidable) return false;
    giveBack(account, invoice);
    invoice.status = "voided";
    return true;
  },
};

function writeOffByCore(invoice: AccountInvoice, thousandths: number): bigint | string {
  const owed = owedOf(invoice);
  const written = writeOff(owed, minor(writeOffOf(amountDue(owed), thousandths)));
  if (!written.ok) return written.error;
  invoice.writtenOffMinor = written.value.writtenOffMinor;
  return written.value.amountMinor;
}

function owedOf({ status, isPaid, computed, writtenOffMinor }: AccountInvoice): OwedInvoice {
  const { totalMinor } = computed.figures;
  const paidMinor = minor(isPaid ? totalMinor - writtenOffMinor : 0n);
  return { status, totalMinor, paidMinor, writtenOffMinor, isDisputeLost: false };
}

function giveBack(account: Account, { computed, takes }: AccountInvoice): void {
  const { couponUses, creditNoteUses, walletUses } = computed;
  for (const { coupon, creditMinor } of couponUses) {
    const used = byId(account.coupons, coupon.id, ({ applied }) => applied.id);
    const { state } = used.applied;
    const back = giveBackCoupon({ ...used, left: state.left, creditMinor });
    used.applied = { ...used.applied, state: { ...state, left: back.left } as typeof state };
    used.status = back.status;
  }
  for (const { note, amountMinor } of creditNoteUses) {
    const used = byId(account.notes, note.id, ({ id }) => id);
    if (used.status === null) throw new Error("what is in money was used as credit");
    Object.assign(used, giveBackCreditNote({ status: used.status, balanceMinor: used.balanceMinor }, amountMinor));
  }
  for (const { wallet, amountMinor, credits } of walletUses) {
    const used = byId(account.wallets, wallet.id, ({ wallet: { id } }) => id);
    const status = isOver(account, used) ? "terminated" : "active";
    const { balanceMinor } = used.wallet;
    const { consumedMinor, consumedCredits } = used;
    const back = giveBackWallet({ status, balanceMinor, consumedMinor, consumedCredits }, { amountMinor, credits });
    if (status === "active") returnTo(account, used, takes.get(used) ?? []);
    used.consumedMinor = back.consumedMinor;
    used.consumedCredits = back.consumedCredits;
  }
}

function voidNote(note: AccountNote | undefined): boolean | null {
  if (note === undefined) return null;
  const voided = voidCreditNote(note);
  if (voided.ok) Object.assign(note, voided.value);
  return voided.ok;
}

function fill(account: Account, step: Step & { do: "grant" | "buy" }): unknown {
  const filled = named(account.wallets, step.wallet)?.item;
  if (filled === undefined) return null;
  const { balanceMinor, rate, currency } = filled.wallet;
  const status = isOver(account, filled) ? "terminated" : "active";
  const field = step.do === "grant" ? "granted_credits" : "paid_credits";
  const parsed = parseTopUp({ [field]: step.credits }, { status, balanceMinor, rate, currency });
  if (!parsed.ok) return Object.values(parsed.error).flat().join();
  const [topUp] = parsed.value;
  if (topUp === undefined) throw new Error("no credits were asked for");
  const amount = { cents: topUp.amountMinor, credits: rationalOf(topUp.credits) };
  const place = account.invoices.length;
  const isBought = step.do === "buy";
  addLot(filled, {
    kind: isBought ? "purchased" : "granted",
    amountMinor: topUp.amountMinor,
    createdAt: account.now,
    invoice: isBought ? place : null,
  });
  if (!isBought) return amount;
  const fee: Fee = { id: idOf(0), label: "credits", amountMinor: topUp.amountMinor, item: { kind: "credit" } };
  const form = { type: "credit", status: "finalized" } as const;
  return { ...amount, invoice: bill(account, { form, fees: [fee], place, fills: filled }) };
}

function endCoupon(coupon: AccountCoupon | undefined, how: "terminated" | "expired" | "deleted"): null {
  if (coupon === undefined) return null;
  if (how !== "terminated") coupon.isWithdrawn = true;
  if (how !== "expired") coupon.status = "terminated";
  return null;
}
