/** The numbers of documents and customers. */
import { dayOf } from "../time/index.ts";

/** How an organization counts its invoices. */
export type InvoiceNumbering =
  | { readonly type: "per_customer"; readonly customerNumber: bigint; readonly number: bigint }
  | {
      readonly type: "per_organization";
      readonly finalizedAt: Temporal.Instant;
      /** The zone of the organization, not of the customer. */
      readonly timeZone: string;
      /** Continues over the months. */
      readonly number: bigint;
    };

const PREFIX_LETTERS = 3;
const PREFIX_ID_DIGITS = 4;

/** The default prefix of an organization: "Acme Inc" with an id ending in 1a2b gives ACM-1A2B. */
export function defaultPrefix(name: string, organizationId: string): string {
  const letters = name
    .normalize("NFD")
    .replace(/[^A-Za-z0-9]/g, "")
    .slice(0, PREFIX_LETTERS);
  return `${letters || "ORG"}-${organizationId.slice(-PREFIX_ID_DIGITS)}`.toUpperCase();
}

/** The second customer of ORG-1 is ORG-1-002. */
export const customerSlug = (prefix: string, customerNumber: bigint): string =>
  `${prefix}-${unlikeMonth(padded(customerNumber))}`;

/** The third invoice of that customer is ORG-1-002-003; counted by the organization in June 2024 it would be ORG-1-202406-003. */
export function invoiceNumber(prefix: string, numbering: InvoiceNumbering): string {
  switch (numbering.type) {
    case "per_customer":
      return `${customerSlug(prefix, numbering.customerNumber)}-${padded(numbering.number)}`;
    case "per_organization": {
      const { year, month } = dayOf(numbering.finalizedAt, numbering.timeZone);
      return `${prefix}-${year}${String(month).padStart(2, "0")}-${padded(numbering.number)}`;
    }
  }
}

/** A draft has no number of its own. */
export const draftNumber = (prefix: string): string => `${prefix}-DRAFT`;

/** Notes are counted per invoice: ORG-1-002-003-CN001. */
export const creditNoteNumber = (numberOfInvoice: string, number: bigint): string =>
  `${numberOfInvoice}-CN${padded(number)}`;

/** Customer 202406 is written 0202406, so that no number per customer equals a number per organization. */
const unlikeMonth = (digits: string): string => (/^\d{4,}(0[1-9]|1[0-2])$/.test(digits) ? `0${digits}` : digits);

const padded = (number: bigint): string => String(number).padStart(3, "0");
