/** An invoice from the API: the members that a bill shows. */
import type { World } from "./world.ts";

export type Tier = {
  units: string;
  from_value: number;
  to_value: number | null;
  per_unit_amount?: string;
  rate?: string;
  flat_unit_amount: string;
  total_with_flat_amount: string;
};

/** By charge model; empty if the unit price is enough. */
export type AmountDetails = {
  graduated_ranges?: readonly Tier[];
  graduated_percentage_ranges?: readonly Tier[];
  flat_unit_amount?: string;
  per_unit_amount?: string;
  free_units?: string;
  paid_units?: string;
  per_package_size?: number;
  per_package_unit_amount?: string;
  rate?: string;
  per_unit_total_amount?: string;
  paid_events?: number;
  fixed_fee_unit_amount?: string;
  fixed_fee_total_amount?: string;
  min_max_adjustment_total_amount?: string;
};

export type Fee = {
  svc_id: string;
  item: {
    type: string;
    invoice_display_name: string;
    filters: Readonly<Record<string, readonly string[]>> | null;
    filter_invoice_display_name: string | null;
    grouped_by: Readonly<Record<string, string | null>>;
  };
  external_subscription_id: string | null;
  svc_true_up_parent_fee_id: string | null;
  amount_cents: number;
  units: string;
  precise_unit_amount: string;
  amount_details: AmountDetails;
  from_date: string | null;
  to_date: string | null;
};

export type Invoice = {
  svc_id: string;
  number: string | null;
  status: "draft" | "finalized" | "voided";
  issuing_date: string;
  payment_due_date: string;
  payment_status: "pending" | "succeeded" | "failed";
  payment_overdue: boolean;
  currency: string;
  fees_amount_cents: number;
  coupons_amount_cents: number;
  sub_total_excluding_taxes_amount_cents: number;
  taxes_amount_cents: number;
  sub_total_including_taxes_amount_cents: number;
  credit_notes_amount_cents: number;
  prepaid_credit_amount_cents: number;
  total_amount_cents: number;
  total_written_off_amount_cents: number;
  applied_taxes: readonly { tax_name: string; tax_rate: number; amount_cents: number; fees_amount_cents: number }[];
  customer: { applicable_timezone: string };
  fees: readonly Fee[];
  credits: readonly { amount_cents: number; before_taxes: boolean; item: { code: string; name: string } }[];
};

/** All invoices of a customer, newest first, without fees and credits. */
export async function findInvoices({ api }: World, customer: string): Promise<Omit<Invoice, "fees" | "credits">[]> {
  const path = `/invoices?external_customer_id=${encodeURIComponent(customer)}`;
  return (await api.ask<{ invoices: Omit<Invoice, "fees" | "credits">[] }>("GET", path)).invoices;
}

/** The newest invoice of a customer, or the one with this number. */
export async function findInvoice(world: World, customer: string, expected?: string): Promise<Invoice> {
  const found = await findInvoices(world, customer);
  const row = expected === undefined ? found[0] : found.find(({ number }) => number === expected);
  if (!row) throw new Error(`${customer} has no ${expected === undefined ? "invoice" : `invoice ${expected}`}`);
  return (await world.api.ask<{ invoice: Invoice }>("GET", `/invoices/${row.svc_id}`)).invoice;
}

/** The lines of a bill must add up. */
export function checkSums(invoice: Invoice): void {
  const fees = invoice.fees.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  const excluding = fees - invoice.coupons_amount_cents;
  const including = excluding + invoice.taxes_amount_cents;
  const total = including - invoice.credit_notes_amount_cents - invoice.prepaid_credit_amount_cents;
  const shown = [
    invoice.fees_amount_cents,
    invoice.sub_total_excluding_taxes_amount_cents,
    invoice.sub_total_including_taxes_amount_cents,
    invoice.total_amount_cents,
  ];
  const added = [fees, excluding, including, total];
  if (shown.some((figure, index) => figure !== added[index])) {
    throw new Error(
      `the invoice does not add up: it shows ${shown.join(", ")}, but its parts make ${added.join(", ")}`,
    );
  }
}
