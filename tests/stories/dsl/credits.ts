/** Coupons and credit notes of a story. */
import { readCents, readRate, writeCents } from "./amounts.ts";
import { findInvoice } from "./invoice.ts";
import type { Row } from "./invoice-text.ts";
import type { World } from "./world.ts";

/** An amount or a percentage; by default until it is used up. */
export type CouponTerms = ({ amount: string } | { share: string }) & {
  lasts?: "forever" | { invoices: number };
  plans?: readonly string[];
  metrics?: readonly string[];
};

export function couponOf({ currency }: World, terms: CouponTerms): object {
  const { lasts, plans = [], metrics = [] } = terms;
  return {
    ...("amount" in terms
      ? { coupon_type: "fixed_amount", amount_cents: readCents(terms.amount, currency), amount_currency: currency }
      : { coupon_type: "percentage", percentage_rate: readRate(terms.share) }),
    ...(lasts === undefined
      ? { frequency: "once" }
      : lasts === "forever"
        ? { frequency: "forever" }
        : { frequency: "recurring", frequency_duration: lasts.invoices }),
    expiration: "no_expiration",
    applies_to: { plan_codes: plans, billable_metric_codes: metrics },
  };
}

export type CreditTerms = {
  /** The number of the invoice. */
  invoice?: string;
  /** The amounts by line, before taxes and coupons. */
  of: Readonly<Record<string, string>>;
  credit?: string;
  refund?: string;
};

export async function createNote(world: World, customer: string, terms: CreditTerms): Promise<void> {
  const { api, currency } = world;
  const invoice = await findInvoice(world, customer, terms.invoice);
  const items = Object.entries(terms.of).map(([line, amount]) => {
    const fee = invoice.fees.find(({ item }) => item.invoice_display_name === line);
    if (!fee) throw new Error(`the invoice has no line ${line}`);
    return { fee_id: fee.svc_id, amount_cents: readCents(amount, currency) };
  });
  await api.ask("POST", "/credit_notes", {
    credit_note: {
      invoice_id: invoice.svc_id,
      items,
      ...(terms.credit === undefined ? {} : { credit_amount_cents: readCents(terms.credit, currency) }),
      ...(terms.refund === undefined ? {} : { refund_amount_cents: readCents(terms.refund, currency) }),
    },
  });
}

type Note = {
  svc_id: string;
  number: string;
  currency: string;
  credit_status: string | null;
  refund_status: string | null;
  credit_amount_cents: number;
  refund_amount_cents: number;
  balance_amount_cents: number;
};

/** Newest first. */
export async function findNotes({ api }: World, customer: string): Promise<Note[]> {
  const path = `/credit_notes?external_customer_id=${encodeURIComponent(customer)}`;
  return (await api.ask<{ credit_notes: Note[] }>("GET", path)).credit_notes;
}

export async function noteRowsOf(world: World, customer: string): Promise<Row[]> {
  const notes = (await findNotes(world, customer)).reverse();
  return notes.map((note) => {
    const cents = (amount: number) => writeCents(amount, note.currency);
    const credit = `${cents(note.balance_amount_cents)} of ${cents(note.credit_amount_cents)}`;
    const refund = `refund of ${cents(note.refund_amount_cents)} ${note.refund_status}`;
    return [
      note.number,
      ...(note.refund_status === null ? [] : [refund]),
      ...(note.credit_status === null ? [] : [note.credit_status, credit]),
    ];
  });
}

type Applied = {
  external_customer_id: string;
  coupon_code: string;
  status: string;
  amount_cents_remaining: number | null;
  amount_currency: string | null;
  frequency_duration_remaining: number | null;
};

/** Includes those of a deleted customer, which a filter by external id would not find. */
export async function couponRowsOf({ api }: World, customer: string): Promise<Row[]> {
  const { applied_coupons } = await api.ask<{ applied_coupons: Applied[] }>("GET", "/applied_coupons");
  const applied = applied_coupons.filter(({ external_customer_id }) => external_customer_id === customer);
  return applied.reverse().map((coupon) => {
    const { amount_cents_remaining: cents, frequency_duration_remaining: invoices } = coupon;
    const left = cents === null ? `${invoices} invoices` : writeCents(cents, coupon.amount_currency ?? "");
    return [coupon.coupon_code, coupon.status, ...(cents === null && invoices === null ? [] : [left])];
  });
}
