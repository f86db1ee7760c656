/** An invoice as text that a person can check with pen and paper. */
import { writeCents, writePrice, writeUnits } from "./amounts.ts";
import type { AmountDetails, Fee, Invoice, Tier } from "./invoice.ts";
import { localDay } from "./moments.ts";

/** The columns: a label, a label and an amount, or a label, its computation and an amount. */
export type Row = readonly string[];

export function rowsOf(invoice: Invoice): Row[] {
  const { currency, fees, total_amount_cents } = invoice;
  return [
    [headOf(invoice)],
    ...fees.flatMap((fee, index) => [...periodRows(invoice, fee, fees[index - 1]), ...feeRows(fee, currency)]),
    ...creditRows(invoice, true),
    ...taxRows(invoice),
    ...creditRows(invoice, false),
    ...prepaidRows(invoice),
    [`Total ${currency}`, writeCents(total_amount_cents, currency)],
    ...writtenOffRows(invoice),
  ];
}

function headOf({ number, status, issuing_date, payment_due_date, payment_status, payment_overdue }: Invoice): string {
  const kinds = { draft: "Draft", finalized: `Invoice ${number}`, voided: `Voided invoice ${number}` };
  const kind = number === null ? "Preview" : kinds[status];
  const payment = payment_status === "pending" ? "" : payment_status === "succeeded" ? ", paid" : ", not paid";
  return `${kind} of ${issuing_date}, due ${payment_due_date}${payment}${payment_overdue ? ", overdue" : ""}`;
}

/** Shown if the next fees are for other days or another subscription than those above. */
function periodRows(invoice: Invoice, fee: Fee, before: Fee | undefined): Row[] {
  const several = new Set(invoice.fees.map(({ external_subscription_id }) => external_subscription_id)).size > 1;
  const period = ({ from_date, to_date, external_subscription_id }: Fee): string | null => {
    if (from_date === null || to_date === null) return null;
    const [from, to] = [from_date, to_date].map((date) => localDay(date, invoice.customer.applicable_timezone));
    return `${from} to ${to}${several ? ` for ${external_subscription_id}` : ""}`;
  };
  const text = period(fee);
  return text === null || (before && period(before) === text) ? [] : [[text]];
}

/** A longer number is an average per unit, not a price. */
const PRICE_DIGITS = 8;

function feeRows(fee: Fee, currency: string): Row[] {
  const { item, units, precise_unit_amount, amount_details } = fee;
  const amount = writeCents(fee.amount_cents, currency);
  const label = labelOf(fee);
  const isOneUnit =
    item.type === "subscription" || item.type === "commitment" || fee.svc_true_up_parent_fee_id !== null;
  if (isOneUnit) return [[label, amount]];
  const details = detailRows(fee, amount_details, currency);
  const hasPrice = details.length === 0 && (precise_unit_amount.split(".")[1] ?? "").length <= PRICE_DIGITS;
  const isFree = /^0(\.0+)?$/.test(units);
  const how = hasPrice && !isFree ? ` × ${writePrice(precise_unit_amount, currency)}` : "";
  return [[label, `${writeUnits(units)}${how}`, amount], ...details];
}

function labelOf({ item, svc_true_up_parent_fee_id }: Fee): string {
  const filter = item.filter_invoice_display_name ?? (item.filters && Object.values(item.filters).flat().join(", "));
  const groups = Object.entries(item.grouped_by)
    .sort()
    .map(([key, value]) => (value === null ? `no ${key}` : `${key} ${value}`));
  const minimum = svc_true_up_parent_fee_id === null ? [] : ["minimum"];
  return [item.invoice_display_name, ...(filter === null ? [] : [filter]), ...groups, ...minimum].join(" · ");
}

function detailRows({ units, amount_cents }: Fee, details: AmountDetails, currency: string): Row[] {
  const price = (text = "0") => writePrice(text, currency);
  const plus = (flat = "0") => (/^0(\.0+)?$/.test(flat) ? "" : ` + ${price(flat)}`);
  const ranges = details.graduated_ranges ?? details.graduated_percentage_ranges;
  if (ranges) {
    return ranges.map((tier) => {
      const each = tier.rate === undefined ? price(tier.per_unit_amount) : `${writeUnits(tier.rate)} %`;
      const how = `${writeUnits(tier.units)} × ${each}${plus(tier.flat_unit_amount)}`;
      return [boundsOf(tier), how, price(tier.total_with_flat_amount)];
    });
  }
  if (details.per_package_size !== undefined) return packageRows(details, amount_cents, currency);
  if (details.rate !== undefined) return percentageRows(details, currency);
  if (details.per_unit_amount === undefined) return [];
  const how = `${writeUnits(units)} × ${price(details.per_unit_amount)}${plus(details.flat_unit_amount)}`;
  return [["all units", how, writeCents(amount_cents, currency)]];
}

function boundsOf({ from_value, to_value }: Tier): string {
  if (to_value === null) return from_value === 0 ? "all units" : `over ${writeUnits(String(from_value - 1))}`;
  return `${writeUnits(String(from_value))}–${writeUnits(String(to_value))}`;
}

function packageRows(details: AmountDetails, cents: number, currency: string): Row[] {
  const { free_units = "0", paid_units = "0", per_package_size = 1, per_package_unit_amount = "0" } = details;
  const packages = Math.ceil(Number(paid_units) / per_package_size);
  const free: Row[] = Number(free_units) > 0 ? [["free", writeUnits(free_units), writeCents(0, currency)]] : [];
  const how = `${packages} × ${writePrice(per_package_unit_amount, currency)}`;
  return [...free, [`packages of ${per_package_size}`, how, writeCents(cents, currency)]];
}

function percentageRows(details: AmountDetails, currency: string): Row[] {
  const { free_units = "0", paid_units = "0", rate = "0", paid_events = 0 } = details;
  const adjustment = details.min_max_adjustment_total_amount ?? "0";
  const price = (text = "0") => writePrice(text, currency);
  const row = (label: string, how: string, amount: string | undefined): Row[] =>
    Number(amount) === 0 ? [] : [[label, how, price(amount)]];
  return [
    ...(Number(free_units) > 0 ? [["free", writeUnits(free_units), writeCents(0, currency)]] : []),
    ...row(`${writeUnits(rate)} %`, writeUnits(paid_units), details.per_unit_total_amount),
    ...row("per event", `${paid_events} × ${price(details.fixed_fee_unit_amount)}`, details.fixed_fee_total_amount),
    ...(Number(adjustment) === 0 ? [] : [["least and most per event", price(adjustment)]]),
  ];
}

/** Coupons apply before taxes, credit notes after them, and prepaid credits last. */
const creditRows = ({ credits, currency }: Invoice, isBeforeTaxes: boolean): Row[] =>
  credits
    .filter(({ before_taxes }) => before_taxes === isBeforeTaxes)
    .map(({ amount_cents, item }) => {
      const label = isBeforeTaxes ? `Coupon ${item.name}` : `Credit note ${item.code}`;
      return [label, writeCents(-amount_cents, currency)];
    });

const prepaidRows = ({ prepaid_credit_amount_cents: cents, currency }: Invoice): Row[] =>
  cents === 0 ? [] : [["Prepaid credits", writeCents(-cents, currency)]];

/** A preview has no write-offs. */
const writtenOffRows = ({ total_written_off_amount_cents: cents, currency }: Invoice): Row[] =>
  cents ? [["Written off", writeCents(cents, currency)]] : [];

function taxRows(invoice: Invoice): Row[] {
  const { applied_taxes: taxes, currency } = invoice;
  if (taxes.length === 0) return [];
  const cents = (amount: number) => writeCents(amount, currency);
  const lines = taxes.map(({ tax_name, tax_rate, amount_cents, fees_amount_cents }): Row => {
    const base = taxes.length > 1 ? [`on ${cents(fees_amount_cents)}`] : [];
    return [`${tax_name} ${tax_rate} %`, ...base, cents(amount_cents)];
  });
  // Rounded once: it may differ by a cent from the sum of the lines.
  const sum: Row[] = taxes.length > 1 ? [["Taxes", cents(invoice.taxes_amount_cents)]] : [];
  return [["Subtotal", cents(invoice.sub_total_excluding_taxes_amount_cents)], ...lines, ...sum];
}

/** Two or more spaces separate columns. */
export const readRows = (text: string): Row[] =>
  text
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s{2,}/));

/** In aligned columns. */
export function writeRows(rows: readonly Row[]): string {
  const columns = rows.filter((row) => row.length > 1);
  const width = (pick: (row: Row) => string | undefined) =>
    Math.max(0, ...columns.map((row) => pick(row)?.length ?? 0));
  const label = width((row) => row[0]);
  const middleOf = (row: Row) => row.slice(1, -1).join("  ");
  const how = width(middleOf);
  const amount = width((row) => row.at(-1));
  return rows
    .map((row) => {
      if (row.length < 2) return row.join("");
      return `${(row[0] ?? "").padEnd(label)}  ${middleOf(row).padStart(how)}  ${(row.at(-1) ?? "").padStart(amount)}`;
    })
    .join("\n");
}
