/** What the organization's own people do: change prices, bill by hand, and handle the latest invoice of a customer. */
import { readCents, readRate } from "./amounts.ts";
import { type CreditTerms, createNote, findNotes } from "./credits.ts";
import type { Customer, CustomerTerms } from "./customer.ts";
import { findInvoice } from "./invoice.ts";
import { readDays } from "./moments.ts";
import { type WalletActs, walletActs } from "./wallets.ts";
import type { World } from "./world.ts";

/** An add-on: how many, at which price unless its own, with which taxes unless its own. */
export type OneOffItem = { addOn: string; units?: string; each?: string; taxes?: readonly string[] };

export type Office = WalletActs & {
  bills: (customer: Customer, ...items: readonly OneOffItem[]) => Promise<void>;
  changesPlan: (code: string, terms: { amount: string }) => Promise<void>;
  changesTax: (code: string, rate: string) => Promise<void>;
  changesCustomer: (customer: Customer, terms: Omit<CustomerTerms, "taxes">) => Promise<void>;
  numbers: (how: "per_customer" | "per_organization") => Promise<void>;
  refreshes: (customer: Customer) => Promise<void>;
  finalizes: (customer: Customer) => Promise<void>;
  voids: (customer: Customer, invoice?: string) => Promise<void>;
  /** Gives something back of an invoice, the latest unless its number is given. */
  credits: (customer: Customer, terms: CreditTerms) => Promise<void>;
  /** The latest credit note. */
  voidsNoteOf: (customer: Customer) => Promise<void>;
  /** Books the payment of an invoice, the latest unless its number is given. */
  isPaidBy: (customer: Customer, invoice?: string) => Promise<void>;
  /** Books the payment of every fee that is on no invoice. */
  isPaidForFeesBy: (customer: Customer) => Promise<void>;
  /** Books that the payment failed. */
  isNotPaidBy: (customer: Customer, invoice?: string) => Promise<void>;
};

export function makeOffice(world: World): Office {
  const { api } = world;
  const onInvoice =
    (method: "PUT" | "POST", action: string, body?: object) =>
    async ({ name }: Customer, number?: string) => {
      const { svc_id } = await findInvoice(world, name, number);
      await api.ask(method, `/invoices/${svc_id}${action}`, body);
    };
  return {
    bills: async (customer, ...items) => {
      const { name } = await customer.exists();
      const fees = items.map(({ addOn, units, each, taxes }) => ({
        add_on_code: addOn,
        ...(units === undefined ? {} : { units }),
        ...(each === undefined ? {} : { unit_amount_cents: readCents(each, world.currency) }),
        ...(taxes === undefined ? {} : { tax_codes: taxes }),
      }));
      await api.ask("POST", "/invoices", { invoice: { external_customer_id: name, fees } });
    },
    changesPlan: async (code, { amount }) => {
      await api.ask("PUT", `/plans/${code}`, { plan: { amount_cents: readCents(amount, world.currency) } });
      await api.settle();
    },
    changesTax: async (code, rate) => {
      await api.ask("PUT", `/taxes/${code}`, { tax: { rate: readRate(rate) } });
      await api.settle();
    },
    changesCustomer: async ({ name }, { timeZone, grace, paymentTerm }) => {
      await api.ask("POST", "/customers", {
        customer: {
          external_id: name,
          ...(timeZone === undefined ? {} : { timezone: timeZone }),
          ...(grace === undefined ? {} : { billing_configuration: { invoice_grace_period: readDays(grace) } }),
          ...(paymentTerm === undefined ? {} : { net_payment_term: readDays(paymentTerm) }),
        },
      });
      await api.settle();
    },
    numbers: async (how) => {
      await api.ask("PUT", "/organizations", { organization: { document_numbering: how } });
    },
    refreshes: onInvoice("PUT", "/refresh"),
    finalizes: onInvoice("PUT", "/finalize"),
    voids: onInvoice("POST", "/void"),
    credits: ({ name }, terms) => createNote(world, name, terms),
    voidsNoteOf: async ({ name }) => {
      const [latest] = await findNotes(world, name);
      if (!latest) throw new Error(`${name} has no credit note`);
      await api.ask("PUT", `/credit_notes/${latest.svc_id}/void`);
    },
    isPaidBy: onInvoice("PUT", "", { invoice: { payment_status: "succeeded" } }),
    isPaidForFeesBy: async ({ name }) => {
      type Fees = { fees: { svc_id: string; svc_invoice_id: string | null }[] };
      const { fees } = await api.ask<Fees>("GET", `/fees?external_customer_id=${encodeURIComponent(name)}`);
      for (const { svc_id, svc_invoice_id } of fees)
        if (svc_invoice_id === null) await api.ask("PUT", `/fees/${svc_id}`, { fee: { payment_status: "succeeded" } });
    },
    isNotPaidBy: onInvoice("PUT", "", { invoice: { payment_status: "failed" } }),
    ...walletActs(world),
  };
}
