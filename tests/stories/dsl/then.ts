/** What a story ends with. */
import { expect } from "vitest";
import { writeCents } from "./amounts.ts";
import { Refused } from "./api.ts";
import { couponRowsOf, noteRowsOf } from "./credits.ts";
import type { Customer } from "./customer.ts";
import { checkSums, findInvoices, type Invoice } from "./invoice.ts";
import { type Row, readRows, rowsOf, writeRows } from "./invoice-text.ts";
import type { World } from "./world.ts";

/** All lines of the text, columns apart by two spaces or more. */
type Readable = { reads: (text: string) => Promise<void> };

export type Then = {
  latestInvoiceOf: (customer: Customer) => Readable;
  /** The invoice with which the running period will end, by what is known now. */
  nextInvoiceOf: (customer: Customer, subscription?: string) => Readable;
  /** Number, day and total of every invoice, the first one first. */
  invoicesOf: (customer: Customer) => { read: (text: string) => Promise<void> };
  /** Code, status and what is left of every applied coupon, the first one first. */
  couponsOf: (customer: Customer) => { read: (text: string) => Promise<void> };
  /** Number, status and what is left of every credit note, the first one first. */
  creditNotesOf: (customer: Customer) => { read: (text: string) => Promise<void> };
  /** That something was refused with this code. */
  refused: (act: Promise<unknown>, code: string) => Promise<void>;
};

export const makeThen = (world: World): Then => ({
  latestInvoiceOf: ({ name }) => ({
    reads: async (text) => {
      const [latest] = await findInvoices(world, name);
      expect(latest, `${name} has an invoice`).toBeDefined();
      const { invoice } = await world.api.ask<{ invoice: Invoice }>("GET", `/invoices/${latest?.svc_id}`);
      compare(invoice, text);
    },
  }),
  nextInvoiceOf: ({ name }, subscription = name) => ({
    reads: async (text) => {
      const body = { invoice: { external_subscription_id: subscription } };
      compare((await world.api.ask<{ invoice: Invoice }>("POST", "/invoices/preview", body)).invoice, text);
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
  couponsOf: ({ name }) => ({ read: async (text) => compareRows(await couponRowsOf(world, name), text) }),
  creditNotesOf: ({ name }) => ({ read: async (text) => compareRows(await noteRowsOf(world, name), text) }),
  refused: async (act, code) => {
    const outcome = await act.then(
      () => "it was done",
      (error: unknown) => (error instanceof Refused ? error.code : Promise.reject(error)),
    );
    expect(outcome).toBe(code);
  },
});

const compareRows = (rows: readonly Row[], text: string): void =>
  expect(writeRows(rows)).toBe(text.trim() === "" ? "" : writeRows(readRows(text)));

function compare(invoice: Invoice, text: string): void {
  expect(writeRows(rowsOf(invoice))).toBe(writeRows(readRows(text)));
  checkSums(invoice);
}
