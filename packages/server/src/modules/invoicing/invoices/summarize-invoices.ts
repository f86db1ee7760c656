/** GET /invoices/summary: how many invoices each view of the list has, and what they amount to. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { sumDecimals } from "@tallystick/core/money";
import { wholeNumber } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import type { StateSum } from "./lists/store.ts";

type View = { description: string; has: (state: StateSum) => boolean };

const isOwed = ({ status, payment_status }: StateSum) => status === "finalized" && payment_status !== "succeeded";

/** Each is also a request for a list: the description says its filters. */
const VIEWS = {
  all: { description: "every invoice", has: () => true },
  draft: { description: "`status=draft`", has: ({ status }) => status === "draft" },
  to_pay: {
    description:
      "finalized, not paid and not overdue, also after a failed payment; without lost disputes: `status=finalized`, " +
      "`payment_status[]=pending`, `payment_status[]=failed`, `payment_overdue=false`, `payment_dispute_lost=false`",
    has: (state) => isOwed(state) && !state.payment_overdue && !state.is_dispute_lost,
  },
  overdue: {
    description: "not paid, and the due date has passed: `payment_overdue=true`",
    has: ({ payment_overdue }) => payment_overdue,
  },
  paid: {
    description: "`status=finalized`, `payment_status=succeeded`; also invoices with nothing to pay",
    has: ({ status, payment_status }) => status === "finalized" && payment_status === "succeeded",
  },
  voided: { description: "`status=voided`", has: ({ status }) => status === "voided" },
  payment_failed: {
    description:
      "`status=finalized`, `payment_status=failed`; each is also in `to_pay` or `overdue`, or has a lost dispute",
    has: ({ status, payment_status }) => status === "finalized" && payment_status === "failed",
  },
  dispute_lost: { description: "`payment_dispute_lost=true`", has: ({ is_dispute_lost }) => is_dispute_lost },
} as const satisfies Record<string, View>;

const NAMES = Object.keys(VIEWS) as (keyof typeof VIEWS)[];

const amounts = namedObject("InvoiceSummaryAmounts", {
  currency: Type.String(),
  total_amount_cents: wholeNumber("The sum of the totals"),
  total_due_amount_cents: wholeNumber(
    "The sum of the amounts due: totals less payments and write-offs; 0 for drafts and voided invoices",
  ),
});

const view = namedObject("InvoiceSummaryView", {
  count: Type.Integer({ description: "The number of invoices" }),
  amounts: Type.Array(amounts, { description: "By currency, in the order of their codes" }),
});

export const invoiceSummarySchema = namedObject(
  "InvoiceSummary",
  Object.fromEntries(NAMES.map((name) => [name, view])) as Record<(typeof NAMES)[number], typeof view>,
  {
    description: `The views of the list, each with the filters that list its invoices. ${NAMES.map(
      (name) => `\`${name}\`: ${VIEWS[name].description}.`,
    ).join(" ")}`,
  },
);
type ApiInvoiceSummary = Static<typeof invoiceSummarySchema>;

export const summarize = (states: readonly StateSum[]): ApiInvoiceSummary =>
  Object.fromEntries(NAMES.map((name) => [name, toApiView(states.filter(VIEWS[name].has))])) as ApiInvoiceSummary;

function toApiView(states: readonly StateSum[]): ApiInvoiceSummary["all"] {
  const byCurrency = [...Map.groupBy(states, ({ currency }) => currency ?? "")];
  return {
    count: states.reduce((count, { invoices }) => count + Number(invoices), 0),
    amounts: byCurrency
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([currency, of]) => ({
        currency,
        total_amount_cents: BigInt(sumDecimals(of.map(({ total }) => total)).toFixed()),
        total_due_amount_cents: BigInt(sumDecimals(of.map(({ due }) => due)).toFixed()),
      })),
  };
}
