/** The expectations of a story. */
import { expect, vi } from "vitest";
import { writeCents } from "./amounts.ts";
import { Refused } from "./api.ts";
import { couponRowsOf, noteRowsOf } from "./credits.ts";
import type { Customer } from "./customer.ts";
import { feeRowsOf } from "./fees.ts";
import { checkSums, findInvoice, findInvoices, type Invoice } from "./invoice.ts";
import { type Row, readRows, rowsOf, writeRows } from "./invoice-text.ts";
import { eventRowsOf, parkedRowsOf } from "./parked.ts";
import { depletionRowsOf, lotRowsOf, movementRowsOf, ongoingRowsOf, walletRowsOf } from "./wallets.ts";
import type { World } from "./world.ts";

type AloneFee = {
  svc_invoice_id: string | null;
  amount_cents: number;
  amount_currency: string;
  payment_status: string;
};

type CurrentUsage = {
  currency: string;
  charges_usage: { billable_metric: { code: string }; units: string; amount_cents: number }[];
};

/** All lines of the text; two or more spaces separate columns. */
type Readable = { reads: (text: string) => Promise<void> };
type ReadableList = { read: (text: string) => Promise<void> };

export type Then = {
  latestInvoiceOf: (customer: Customer) => Readable;
  invoiceOf: (customer: Customer, number: string) => Readable;
  /** A preview of the invoice at the end of the current period. */
  nextInvoiceOf: (customer: Customer, subscription?: string) => Readable;
  /** Metric, units and amount of every charge in the current period. */
  currentUsageOf: (customer: Customer) => Readable;
  /** Number, day and total of every invoice, oldest first. */
  invoicesOf: (customer: Customer) => ReadableList;
  /** Code, amount and payment status of every fee without an invoice, oldest first. */
  uninvoicedFeesOf: (customer: Customer) => ReadableList;
  /** Code, status and remainder of every applied coupon, oldest first. */
  couponsOf: (customer: Customer) => ReadableList;
  /** Number, status and remainder of every credit note, oldest first. */
  creditNotesOf: (customer: Customer) => ReadableList;
  /** Name, first day, label, units, amount and payment of every fee that is or was standalone, oldest first. */
  feesAloneOf: (customer: Customer) => ReadableList;
  /** Name, status, credits and value of every wallet, oldest first. */
  walletsOf: (customer: Customer) => ReadableList;
  /**
   * The balance of every wallet if open usage were billed now. It is as of the last advance of the clock: later usage may or may not be
   * included.
   */
  ongoingBalancesOf: (customer: Customer) => ReadableList;
  /** Day, kind, unsettled status and credits of every transaction of a wallet, oldest first. */
  movementsOf: (customer: Customer, wallet?: string) => ReadableList;
  /** Kind, remaining and original amount of every lot of a wallet, oldest first. */
  lotsOf: (customer: Customer, wallet?: string) => ReadableList;
  /** Published depletions of wallets: day, name and ongoing balance. */
  depletionsOf: (customer: Customer) => ReadableList;
  /** Kind, status, attempts and reason of every parked item, oldest first. */
  parkedItems: () => ReadableList;
  /** Day, and status or reason, of every event of a customer, oldest first. */
  eventsOf: (customer: Customer) => ReadableList;
  /** Expects a refusal with this code. */
  refused: (act: Promise<unknown>, code: string) => Promise<void>;
};

export const makeThen = (world: World): Then => ({
  latestInvoiceOf: ({ name }) => ({ reads: async (text) => compare(await findInvoice(world, name), text) }),
  invoiceOf: ({ name }, number) => ({ reads: async (text) => compare(await findInvoice(world, name, number), text) }),
  nextInvoiceOf: ({ name }, subscription = name) => ({
    reads: async (text) => {
      const body = { invoice: { external_subscription_id: subscription } };
      compare((await world.api.ask<{ invoice: Invoice }>("POST", "/invoices/preview", body)).invoice, text);
    },
  }),
  currentUsageOf: ({ name }) => ({
    reads: async (text) => {
      const path = `/customers/${encodeURIComponent(name)}/current_usage?external_subscription_id=${encodeURIComponent(name)}`;
      const { customer_usage } = await world.api.ask<{ customer_usage: CurrentUsage }>("GET", path);
      const rows = customer_usage.charges_usage.map(
        ({ billable_metric, units, amount_cents }): Row => [
          billable_metric.code,
          units,
          writeCents(amount_cents, customer_usage.currency),
        ],
      );
      compareRows(rows, text);
    },
  }),
  invoicesOf: ({ name }) => ({
    read: async (text) => {
      const invoices = (await findInvoices(world, name)).reverse();
      const rows = invoices.map(
        (invoice): Row => [
          invoice.status === "finalized" ? (invoice.number ?? "") : `${invoice.number} ${invoice.status}`,
          invoice.issuing_date,
          writeCents(invoice.total_amount_cents, invoice.currency),
        ],
      );
      compareRows(rows, text);
    },
  }),
  uninvoicedFeesOf: ({ name }) => ({
    read: async (text) => {
      type Fees = { fees: (AloneFee & { item: { code: string } })[] };
      const { fees } = await world.api.ask<Fees>("GET", `/fees?external_customer_id=${encodeURIComponent(name)}`);
      const alone = fees.filter(({ svc_invoice_id }) => svc_invoice_id === null);
      const rows = alone.map((fee): Row => {
        const { amount_cents, amount_currency, payment_status } = fee;
        return [fee.item.code, writeCents(amount_cents, amount_currency), payment_status];
      });
      compareRows(rows, text);
    },
  }),
  couponsOf: ({ name }) => ({ read: async (text) => compareRows(await couponRowsOf(world, name), text) }),
  creditNotesOf: ({ name }) => ({ read: async (text) => compareRows(await noteRowsOf(world, name), text) }),
  feesAloneOf: ({ name }) => ({ read: async (text) => compareRows(await feeRowsOf(world, name), text) }),
  walletsOf: ({ name }) => ({ read: async (text) => compareRows(await walletRowsOf(world, name), text) }),
  ongoingBalancesOf: ({ name }) => ({ read: async (text) => compareRows(await ongoingRowsOf(world, name), text) }),
  movementsOf: ({ name }, wallet) => ({
    read: async (text) => compareRows(await movementRowsOf(world, name, wallet), text),
  }),
  lotsOf: ({ name }, wallet) => ({
    read: async (text) => compareRows(await lotRowsOf(world, name, wallet), text),
  }),
  depletionsOf: ({ name }) => ({
    // Any story may publish the messages of all stories, so another one may be publishing ours now.
    read: (text) => vi.waitFor(async () => compareRows(await depletionRowsOf(world, name), text), WAIT),
  }),
  parkedItems: () => ({ read: async (text) => compareRows(await parkedRowsOf(world), text) }),
  eventsOf: (customer) => ({ read: async (text) => compareRows(await eventRowsOf(world, customer), text) }),
  refused: async (act, code) => {
    const outcome = await act.then(
      () => "it was done",
      (error: unknown) => (error instanceof Refused ? error.code : Promise.reject(error)),
    );
    expect(outcome).toBe(code);
  },
});

const WAIT = { timeout: 8_000 };

const compareRows = (rows: readonly Row[], text: string): void =>
  expect(writeRows(rows)).toBe(text.trim() === "" ? "" : writeRows(readRows(text)));

function compare(invoice: Invoice, text: string): void {
  expect(writeRows(rowsOf(invoice))).toBe(writeRows(readRows(text)));
  checkSums(invoice);
}
