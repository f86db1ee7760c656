/** Documents that are wrong on purpose, in one way each: the harness must notice. Whatever is changed still adds up where one looks at it alone. */
import { isoOfDay, numberOfDay } from "./days.ts";
import type { ChargeUsage, Documents, Fee, Invoice, Previewed } from "./documents.ts";

export type Tampering = (documents: Documents) => Documents;

/** With so many cents more on a fee, also in every sum of its invoice. */
function addTo(invoice: Invoice, chosen: Fee, added: number): Invoice {
  return {
    ...invoice,
    fees: invoice.fees.map((fee) => (fee === chosen ? { ...fee, amount_cents: fee.amount_cents + added } : fee)),
    fees_amount_cents: invoice.fees_amount_cents + added,
    sub_total_excluding_taxes_amount_cents: invoice.sub_total_excluding_taxes_amount_cents + added,
    sub_total_including_taxes_amount_cents: invoice.sub_total_including_taxes_amount_cents + added,
    total_amount_cents: invoice.total_amount_cents + added,
  };
}

const onFees =
  (code: (fee: Fee) => boolean): Tampering =>
  (documents) => ({
    ...documents,
    invoices: documents.invoices.map((invoice) => {
      const chosen = invoice.fees.find((fee) => code(fee) && fee.amount_cents > 0);
      return chosen && invoice.status === "finalized" ? addTo(invoice, chosen, 3) : invoice;
    }),
  });

export const TAMPERINGS: Readonly<Record<string, Tampering>> = {
  "subscription fees are 3 cents too high": onFees(({ item }) => item.type === "subscription"),
  "calls are 3 cents too dear": onFees(({ item }) => item.code === "calls"),
  "jobs are 3 cents too dear": onFees(({ item }) => item.code === "jobs"),
  "wallets hold a cent more": (documents) => ({
    ...documents,
    wallets: documents.wallets.map((wallet) => ({ ...wallet, balance_cents: wallet.balance_cents + 1 })),
  }),
  "notes hold a cent more": (documents) => ({
    ...documents,
    notes: documents.notes.map((note) => ({ ...note, balance_amount_cents: note.balance_amount_cents + 1 })),
  }),
  "coupons are used and no document says so": (documents) => ({
    ...documents,
    coupons: documents.coupons.map((coupon) => ({ ...coupon, credits: [] })),
  }),
  "every other invoice is gone": (documents) => ({
    ...documents,
    invoices: documents.invoices.filter(({ sequential_id: number }) => number === null || number % 2 === 1),
  }),
  "what comes back does not come back": (documents) => ({
    ...documents,
    notes: documents.notes.filter(({ reason }) => reason === "other"),
  }),
  "invoices are issued a day later": (documents) => ({
    ...documents,
    invoices: documents.invoices.map((invoice) => ({
      ...invoice,
      issuing_date: isoOfDay(numberOfDay(invoice.issuing_date) + 1),
    })),
  }),
  "taxes are on no line": (documents) => ({
    ...documents,
    invoices: documents.invoices.map((invoice) => ({ ...invoice, applied_taxes: [] })),
  }),
};

/** What an event would change that comes between the preview and the invoice, and what only the whole document shows. */
export const PREVIEW_TAMPERINGS: Readonly<Record<string, (previewed: Previewed) => Previewed>> = {
  "current usage has a cent less": ({ usage, ...previewed }) => ({
    ...previewed,
    usage: usage && { ...usage, charges: usage.charges.map(withCentLess) },
  }),
  "previews have a cent more": ({ invoice, ...previewed }) => ({
    ...previewed,
    invoice: { ...invoice, fees: invoice.fees.map((fee) => ({ ...fee, amount_cents: fee.amount_cents + 1 })) },
  }),
  "previews count another event": ({ invoice, ...previewed }) => ({
    ...previewed,
    invoice: { ...invoice, fees: invoice.fees.map((fee) => ({ ...fee, events_count: (fee.events_count ?? 0) + 1 })) },
  }),
};

/** In every filter and group. */
const withCentLess = (charge: ChargeUsage): ChargeUsage =>
  JSON.parse(JSON.stringify(charge), (name, value) => (name === "amount_cents" && value > 0 ? value - 1 : value));
