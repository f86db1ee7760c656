/** What current usage and a preview said a second before a period ended, against the invoice that was made of it. */
import type { Members } from "../served-api.ts";

type Sums = { units: string; events_count: number; amount_cents: number };
type FilterUsage = Sums & { values: Members | null };
type ChargeUsage = Sums & {
  charge: { svc_id: string };
  billable_metric: { code: string };
  filters: FilterUsage[];
  grouped_usage: (Sums & { grouped_by: Members; filters: FilterUsage[] })[];
};
export type Usage = { charges_usage: ChargeUsage[] };

type Fee = Members & {
  svc_id: string;
  item: { type: string; code: string; filters: Members | null; grouped_by: Members };
  units: string;
  events_count: number | null;
  amount_cents: number;
  taxes_amount_cents: number;
  total_amount_cents: number;
  pay_in_advance: boolean;
  svc_true_up_parent_fee_id: string | null;
};
export type Invoice = Members & {
  svc_id: string;
  fees: Fee[];
  applied_taxes: (Members & { amount_cents: number })[];
  credits: Members[];
};

/** Lines that only one side has. Charges in advance are billed event by event: a period's end knows nothing of them. */
export function usageDiffers(usage: Usage, invoice: Invoice, inAdvance: ReadonlySet<string>): string[] {
  const expected = usage.charges_usage.filter(({ charge }) => !inAdvance.has(charge.svc_id)).flatMap(linesOfCharge);
  const found = invoice.fees
    .filter(
      ({ item, pay_in_advance, svc_true_up_parent_fee_id: parent }) =>
        item.type === "charge" && !pay_in_advance && parent === null,
    )
    .map(({ item, ...sums }) => line(item.code, item.grouped_by, { ...sums, values: item.filters }));
  return differ(expected, found.filter(isUsed));
}

function linesOfCharge({ billable_metric: { code }, filters, grouped_usage: groups, ...sums }: ChargeUsage): string[] {
  const lines =
    groups.length > 0
      ? groups.flatMap(({ grouped_by, filters: inside, ...own }) =>
          inside.length > 0
            ? inside.map((filter) => line(code, grouped_by, filter))
            : [line(code, grouped_by, { ...own, values: null })],
        )
      : filters.length > 0
        ? filters.map((filter) => line(code, {}, filter))
        : [line(code, {}, { ...sums, values: null })];
  return lines.filter(isUsed);
}

/** A fee of nothing may be left out. */
const isUsed = (text: string): boolean => !text.endsWith(" 0 cents");

type LineSums = { amount_cents: number; events_count: number | null; values: Members | null };

/** Units are not compared: of a prorated charge usage shows the full ones, a fee those that it is for. */
const line = (code: string, group: Members, { amount_cents, events_count, values }: LineSums): string =>
  `${code} ${sorted(values)} ${sorted(group)}: ${events_count} events, ${amount_cents} cents`;

/** The order of members says nothing. */
const sorted = (value: unknown): string =>
  JSON.stringify(value ?? {}, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );

function differ(expected: readonly string[], found: readonly string[]): string[] {
  const left = [...found];
  const missing = expected.filter((text) => {
    const index = left.indexOf(text);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
  return [...missing.map((text) => `foretold ${text}`), ...left.map((text) => `invoiced ${text}`)];
}

/** What an invoice has only when it exists, and what goes on with time. */
const NOT_FOREREPORTED = [
  "svc_id",
  "sequential_id",
  "number",
  "status",
  // Nothing is due of what is not final.
  "total_due_amount_cents",
  "created_at",
  "updated_at",
  "customer",
  "subscriptions",
];
const FEE_NOT_FOREREPORTED = [
  "svc_id",
  "svc_invoice_id",
  "svc_true_up_fee_id",
  "svc_true_up_parent_fee_id",
  "created_at",
];
const TAX_NOT_FOREREPORTED = ["svc_id", "svc_invoice_id", "created_at"];
/** Its own id, and the invoice that it is on. */
const CREDIT_NOT_FOREREPORTED = ["svc_id", "invoice"];

export function previewDiffers(preview: Invoice, invoice: Invoice): string[] {
  return differ(predicted(preview), predicted(invoice));
}

function predicted({ fees, applied_taxes, credits, ...members }: Invoice): string[] {
  return [
    ...Object.entries(without(members, NOT_FOREREPORTED)).map(([name, value]) => `${name} ${JSON.stringify(value)}`),
    ...fees.map((fee) => `fee ${sorted(without(fee, FEE_NOT_FOREREPORTED))}`),
    ...applied_taxes.map((tax) => `tax ${sorted(without(tax, TAX_NOT_FOREREPORTED))}`),
    ...credits.map((credit) => `credit ${sorted(without(credit, CREDIT_NOT_FOREREPORTED))}`),
  ];
}

const without = (members: Members, names: readonly string[]): Members =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));

/** The sum of parts is the total, on the invoice and on each of its fees. */
export function partsDiffer(invoice: Invoice): string[] {
  const cents = (name: string): number => Number(invoice[`${name}_amount_cents`]);
  const fees = invoice.fees.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  const taxes = invoice.applied_taxes.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  const excluding = cents("fees") - cents("coupons");
  const claims: [string, boolean][] = [
    ["fees", fees === cents("fees")],
    ["sub total without taxes", excluding === cents("sub_total_excluding_taxes")],
    ["sub total with taxes", excluding + cents("taxes") === cents("sub_total_including_taxes")],
    ["total", excluding + cents("taxes") - cents("credit_notes") - cents("prepaid_credit") === cents("total")],
    // Each line is rounded by itself, their sum once.
    ["taxes", Math.abs(taxes - cents("taxes")) <= invoice.applied_taxes.length],
    [
      "totals of fees",
      invoice.fees.every((fee) => fee.amount_cents + fee.taxes_amount_cents === fee.total_amount_cents),
    ],
  ];
  return claims.filter(([, isKept]) => !isKept).map(([name]) => `${name} of ${JSON.stringify(invoice)}`);
}
