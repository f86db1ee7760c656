/** What of an invoice is still to be paid, and what of that is given up. */
import { fail, ok, type Result } from "../catalog/index.ts";
import { type Minor, minor } from "../money/index.ts";

export type OwedInvoice = {
  readonly status: "generating" | "draft" | "finalized" | "voided";
  readonly paymentStatus: "pending" | "succeeded" | "failed";
  readonly totalMinor: Minor;
  readonly writtenOffMinor: Minor;
};

/** A payment that succeeded paid all that was not written off. Credit notes on the invoice change nothing. */
export function amountDue({ status, paymentStatus, totalMinor, writtenOffMinor }: OwedInvoice): Minor {
  return minor(status === "finalized" && paymentStatus !== "succeeded" ? totalMinor - writtenOffMinor : 0n);
}

/** How much is written off: all that is due unless a part is asked for. Refused with the code of the API. */
export function writeOff(
  invoice: OwedInvoice,
  wantedMinor: Minor | null,
): Result<Minor, "not_due" | "higher_than_due_amount"> {
  const dueMinor = amountDue(invoice);
  if (dueMinor === 0n) return fail("not_due");
  if (wantedMinor !== null && wantedMinor > dueMinor) return fail("higher_than_due_amount");
  return ok(wantedMinor ?? dueMinor);
}
