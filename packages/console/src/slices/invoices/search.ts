/** What the address of the invoice pages says. */
import type { ListInvoicesQuery } from "@tallystick/client";

export const VIEWS = ["all", "draft", "to_pay", "overdue", "paid", "payment_failed", "voided"] as const;
export type View = (typeof VIEWS)[number];

/** As `GET /invoices/summary` describes them, so that a list has as many invoices as its tab says. */
export const FILTERS_OF_VIEW: Readonly<Record<View, ListInvoicesQuery>> = {
  all: {},
  draft: { status: "draft" },
  to_pay: {
    status: "finalized",
    payment_status: ["pending", "failed"],
    payment_overdue: "false",
    payment_dispute_lost: "false",
  },
  overdue: { payment_overdue: "true" },
  paid: { status: "finalized", payment_status: "succeeded" },
  payment_failed: { status: "finalized", payment_status: "failed" },
  voided: { status: "voided" },
};

export type InvoiceSearch = {
  view?: View | undefined;
  q?: string | undefined;
  customer?: string | undefined;
  page?: number | undefined;
};

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;

export function parseInvoiceSearch(search: Record<string, unknown>): InvoiceSearch {
  const view = VIEWS.find((known) => known === search.view && known !== "all");
  const page = Number(search.page);
  const q = text(search.q);
  const customer = text(search.customer);
  return {
    ...(view ? { view } : {}),
    ...(q ? { q } : {}),
    ...(customer ? { customer } : {}),
    ...(Number.isInteger(page) && page > 1 ? { page } : {}),
  };
}

/** The chosen line, or the document as the customer sees it. */
export type LineSearch = { line?: string | undefined; document?: true | undefined };

export const parseLineSearch = ({ line, document }: Record<string, unknown>): LineSearch => {
  if (document === true) return { document };
  return typeof line === "string" ? { line } : {};
};
