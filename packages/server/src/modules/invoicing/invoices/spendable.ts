/** What a customer can spend on an invoice. Each kind is a source, passed in by the module that owns it. */
import assert from "node:assert/strict";
import type { computeInvoice, InvoiceInput } from "@tallystick/core/invoicing";
import { fraction, minor } from "@tallystick/core/money";
import type { Batch } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { InvoiceCreditRow, NewCredit } from "../invoice-credits/index.ts";
import type { InvoiceRow } from "./store.ts";

export type Spendable = Pick<InvoiceInput, "coupons" | "creditNotes" | "wallets">;
export type Uses = Pick<ReturnType<typeof computeInvoice>, "couponUses" | "creditNoteUses" | "walletUses">;

/** What core used on an invoice that is being finalized; `at` is on the customer's clock. */
export type Spending = {
  invoiceId: string;
  invoiceType: string;
  customerId: string;
  currency: string;
  at: Temporal.Instant;
  uses: Uses;
};

/** The caller of `use` or `giveBack` locks the customer. Each has one effect: a second time for an invoice fails. */
export type CreditSource = {
  /** `isHeld`: it is about to be spent, so it is locked until the transaction ends. */
  load: (
    batch: Batch,
    organizationId: string,
    of: { customerId: string; isHeld: boolean },
  ) => Promise<Partial<Spendable>>;
  use: (batch: Batch, organizationId: string, spending: Spending) => Promise<void>;
  /** What an invoice shows of the credits that it uses, or would use. */
  show: (tx: Tx, organizationId: string, uses: Uses) => Promise<readonly NewCredit[]>;
  /** Returns the credits of a voided invoice. */
  giveBack: (batch: Batch, organizationId: string, voided: Voided) => Promise<void>;
};

export type Voided = { invoice: InvoiceRow; credits: readonly InvoiceCreditRow[]; at: Temporal.Instant };

export type InvoiceCredits = {
  sources: readonly CreditSource[];
  /** A credit note that can be spent, or was spent or refunded, prevents the void of its invoice. */
  isKeptByNote: (tx: Tx, organizationId: string, invoiceId: string) => Promise<boolean>;
  /** So do credits that it sold and that are spent. */
  isPurchaseSpent: (tx: Tx, invoice: InvoiceRow) => Promise<boolean>;
  /** Runs in the transaction of the payment status; `at` is on the customer's clock. */
  onPaid: (tx: Tx, invoice: InvoiceRow, at: Temporal.Instant) => Promise<void>;
  /** Runs in the transaction that finalizes it, after all writes and messages. */
  onFinalized: (batch: Batch, invoice: InvoiceRow) => Promise<void>;
};

export const NOTHING_TO_SPEND: Spendable = { coupons: [], creditNotes: [], wallets: [] };

export async function loadSpendable(
  batch: Batch,
  { sources }: InvoiceCredits,
  organizationId: string,
  of: { customerId: string; isHeld: boolean },
): Promise<Spendable> {
  let spendable = NOTHING_TO_SPEND;
  for (const { load } of sources) spendable = { ...spendable, ...(await load(batch, organizationId, of)) };
  return spendable;
}

/** In order of use. */
export async function showUses(
  tx: Tx,
  { sources }: InvoiceCredits,
  organizationId: string,
  uses: Uses,
): Promise<NewCredit[]> {
  const shown: NewCredit[] = [];
  for (const { show } of sources) shown.push(...(await show(tx, organizationId, uses)));
  return shown;
}

/** Each credit that could be used, as an invoice would show it, by its owner. */
export async function showSpendable(
  tx: Tx,
  credits: InvoiceCredits,
  organizationId: string,
  { coupons, creditNotes }: Spendable,
): Promise<ReadonlyMap<string, NewCredit>> {
  const none = minor(0n);
  const shown = await showUses(tx, credits, organizationId, {
    couponUses: coupons.map((coupon) => {
      const { left } = coupon.state;
      return { coupon, left, base: fraction(none), creditMinor: none, shares: [], isTerminated: false };
    }),
    creditNoteUses: creditNotes.map((note) => {
      const { balanceMinor } = note;
      return { note, balanceMinor, amountMinor: none, status: "available" };
    }),
    walletUses: [],
  });
  return new Map(shown.map((credit) => [credit.owner_id, credit]));
}

/** In order of use. */
export function creditsUsed(
  shown: ReadonlyMap<string, NewCredit>,
  { couponUses, creditNoteUses }: Pick<Uses, "couponUses" | "creditNoteUses">,
): NewCredit[] {
  const used = [
    ...couponUses.map(({ coupon, creditMinor }) => [coupon.id, creditMinor] as const),
    ...creditNoteUses.map(({ note, amountMinor }) => [note.id, amountMinor] as const),
  ];
  return used.map(([ownerId, amount]) => {
    const credit = shown.get(ownerId);
    assert(credit, "what is used could be used");
    return { ...credit, amount_cents: amount };
  });
}
