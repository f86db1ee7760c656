/** When an invoice is issued, finalized, due and overdue. Days are local days of the customer. */
import { dayOf, startOfDay } from "../time/index.ts";
import { amountDue, type OwedInvoice } from "./receivable.ts";

export type InvoiceDates = {
  readonly issuingDate: Temporal.PlainDate;
  readonly paymentDueDate: Temporal.PlainDate;
};

/** The days that a draft's dates are counted from and by. */
export type DraftTerms = {
  /** Local day of the billing instant. */
  readonly billedOn: Temporal.PlainDate;
  readonly graceDays: number;
  readonly netPaymentTermDays: number;
  readonly timeZone: string;
};

/** An invoice issued on a day: with a term of 30, one of 4 July is due on 3 August. */
export function issuedDates(issuingDate: Temporal.PlainDate, netPaymentTermDays: number): InvoiceDates {
  return { issuingDate, paymentDueDate: issuingDate.add({ days: netPaymentTermDays }) };
}

/** A draft carries the dates it will have after its grace period, and is finalized as that day begins. */
export function draftDates(terms: DraftTerms): InvoiceDates & { readonly finalizesAt: Temporal.Instant } {
  const issuingDate = terms.billedOn.add({ days: terms.graceDays });
  return {
    ...issuedDates(issuingDate, terms.netPaymentTermDays),
    finalizesAt: startOfDay(issuingDate, terms.timeZone),
  };
}

/** A finalized invoice is issued on the local day of its finalization, whatever the dates of its draft were. */
export function finalizedDates(
  at: Temporal.Instant,
  { timeZone, netPaymentTermDays }: Pick<DraftTerms, "timeZone" | "netPaymentTermDays">,
): InvoiceDates {
  return issuedDates(dayOf(at, timeZone), netPaymentTermDays);
}

/** The due day itself is still in time: an invoice is overdue when the next day begins. */
export const overdueAt = (paymentDueDate: Temporal.PlainDate, timeZone: string): Temporal.Instant =>
  startOfDay(paymentDueDate.add({ days: 1 }), timeZone);

export type PayableInvoice = OwedInvoice & {
  readonly paymentDueDate: Temporal.PlainDate;
};

/** Whether an invoice is unpaid after its due day. */
export function isOverdue(invoice: PayableInvoice, today: Temporal.PlainDate): boolean {
  const isOpen = amountDue(invoice) > 0n && !invoice.isDisputeLost;
  return isOpen && Temporal.PlainDate.compare(invoice.paymentDueDate, today) < 0;
}
