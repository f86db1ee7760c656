/** Actions of the organization's staff: change prices, bill manually, and handle a customer's invoices. */
import { readCents, readRate } from "./amounts.ts";
import { type CreditTerms, createNote, findNotes } from "./credits.ts";
import type { Customer, CustomerTerms } from "./customer.ts";
import { type FeeActs, feeActs } from "./fees.ts";
import { type ChargeTerms, chargeOf } from "./given.ts";
import { findInvoice } from "./invoice.ts";
import { readDays } from "./moments.ts";
import { type ParkedActs, parkedActs } from "./parked.ts";
import { type WalletActs, walletActs } from "./wallets.ts";
import type { World } from "./world.ts";

/** An add-on with units; price and taxes override its own. */
export type OneOffItem = { addOn: string; units?: string; each?: string; taxes?: readonly string[] };

type Repricing = { appliesTo?: "drafts" };

/** `metered` lists all charges of the plan after the change. A charge on an existing metric is changed. */
export type PlanChange = Repricing & { amount?: string; metered?: Readonly<Record<string, ChargeTerms>> };

export type Office = WalletActs &
  FeeActs &
  ParkedActs & {
    bills: (customer: Customer, ...items: readonly OneOffItem[]) => Promise<void>;
    changesPlan: (code: string, terms: PlanChange) => Promise<void>;
    /** An amount for this customer's subscription only. */
    agreesWith: (customer: Customer, terms: { amount: string } & Repricing) => Promise<void>;
    /** The filter values of a metric: property → values. */
    changesMetric: (code: string, filters: Readonly<Record<string, readonly string[]>>) => Promise<void>;
    deletesMetric: (code: string) => Promise<void>;
    changesTax: (code: string, rate: string) => Promise<void>;
    changesCustomer: (customer: Customer, terms: Omit<CustomerTerms, "taxes">) => Promise<void>;
    deletesCustomer: (customer: Customer) => Promise<void>;
    deletesPlan: (code: string) => Promise<void>;
    numbers: (how: "per_customer" | "per_organization") => Promise<void>;
    refreshes: (customer: Customer) => Promise<void>;
    finalizes: (customer: Customer) => Promise<void>;
    voids: (customer: Customer, invoice?: string) => Promise<void>;
    /** Credits an invoice; default: the newest. */
    credits: (customer: Customer, terms: CreditTerms) => Promise<void>;
    /** The latest credit note. */
    voidsNoteOf: (customer: Customer) => Promise<void>;
    /** Records the payment of an invoice; default: the newest. */
    isPaidBy: (customer: Customer, invoice?: string) => Promise<void>;
    /** Records the payment of every fee without an invoice. */
    isPaidForFeesBy: (customer: Customer) => Promise<void>;
    /** Records that the payment failed, or bounced if it had succeeded. */
    isNotPaidBy: (customer: Customer, invoice?: string) => Promise<void>;
    /** Records that the payment is pending, whatever its status was. */
    awaitsPaymentOf: (customer: Customer, invoice?: string) => Promise<void>;
    /** Writes off an invoice; default: the newest, and the whole amount due. */
    writesOff: (customer: Customer, terms?: { invoice?: string; amount?: string }) => Promise<void>;
    /** Records that the refund of the latest credit note failed. */
    failsToRefund: (customer: Customer) => Promise<void>;
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
    changesPlan: async (code, change) => {
      await api.ask("PUT", `/plans/${code}`, { plan: await planChangeOf(world, code, change) });
      await api.settle();
    },
    agreesWith: async ({ name }, { amount, appliesTo }) => {
      const plan_overrides = { amount_cents: readCents(amount, world.currency) };
      await api.ask("PUT", `/subscriptions/${name}`, { subscription: { plan_overrides, ...applied(appliesTo) } });
      await api.settle();
    },
    changesMetric: async (code, filters) => {
      const pairs = Object.entries(filters).map(([key, values]) => ({ key, values }));
      await api.ask("PUT", `/billable_metrics/${code}`, { billable_metric: { filters: pairs } });
      await api.settle();
    },
    deletesMetric: async (code) => {
      await api.ask("DELETE", `/billable_metrics/${code}`);
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
    deletesCustomer: async ({ name }) => {
      await api.ask("DELETE", `/customers/${encodeURIComponent(name)}`);
      await api.settle();
    },
    deletesPlan: async (code) => {
      await api.ask("DELETE", `/plans/${code}`);
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
    awaitsPaymentOf: onInvoice("PUT", "", { invoice: { payment_status: "pending" } }),
    writesOff: async ({ name }, { invoice, amount } = {}) => {
      const { svc_id, currency } = await findInvoice(world, name, invoice);
      const part = amount === undefined ? {} : { amount_cents: readCents(amount, currency) };
      await api.ask("POST", `/invoices/${svc_id}/write_off`, { ...part, reason: "insolvent" });
    },
    failsToRefund: async ({ name }) => {
      const [latest] = await findNotes(world, name);
      if (!latest) throw new Error(`${name} has no credit note`);
      await api.ask("PUT", `/credit_notes/${latest.svc_id}`, { credit_note: { refund_status: "failed" } });
    },
    ...parkedActs(world),
    ...walletActs(world),
    ...feeActs(world),
  };
}

const applied = (to: Repricing["appliesTo"]) => (to === "drafts" ? { apply_to_drafts: true } : {});

async function planChangeOf(world: World, code: string, { amount, metered, appliesTo }: PlanChange): Promise<object> {
  const { plan } = await world.api.ask<{ plan: { charges: { svc_id: string; svc_billable_metric_id: string }[] } }>(
    "GET",
    `/plans/${code}`,
  );
  const idOf = (metricId: string | undefined) =>
    plan.charges.find(({ svc_billable_metric_id }) => svc_billable_metric_id === metricId)?.svc_id;
  return {
    ...(amount === undefined ? {} : { amount_cents: readCents(amount, world.currency) }),
    ...(metered === undefined
      ? {}
      : {
          charges: Object.entries(metered).map(([metric, terms]) => ({
            ...chargeOf(world, metric, terms),
            id: idOf(world.metrics.get(metric)?.id),
          })),
        }),
    ...applied(appliesTo),
  };
}
