/** The state of an invoice, out of three members of the API. */
import { type State, Status } from "../../ui/status.tsx";

type Invoice = { status: string; payment_status: string; payment_overdue: boolean };

function stateOf({ status, payment_status, payment_overdue }: Invoice): State {
  if (status === "draft" || status === "voided") return status;
  if (payment_status === "succeeded") return "paid";
  if (payment_overdue) return "overdue";
  return payment_status === "failed" ? "failed" : "to_pay";
}

export const InvoiceStatus = ({ invoice }: { invoice: Invoice }) => <Status state={stateOf(invoice)} />;
