/** An invoice as plain members, to compare the stored one with the recomputed one. */
import type { computeInvoice, InvoiceDates } from "@tallystick/core/invoicing";
import { invoiceNumber } from "@tallystick/core/invoicing";
import type { Currency, Decimal } from "@tallystick/core/money";
import { parseJson } from "../../../platform/json-text.ts";
import type { FeeRow, FeeTaxRow, InvoiceCreditRow, InvoiceRow, InvoiceTaxRow, NewFee } from "../../invoicing/index.ts";

/** All rows of an invoice. */
export type StoredInvoice = {
  row: InvoiceRow;
  /** Fees on the invoice, and standalone fees of its bills. */
  fees: readonly FeeRow[];
  feeTaxes: readonly FeeTaxRow[];
  taxes: readonly InvoiceTaxRow[];
  credits: readonly InvoiceCreditRow[];
  /** The customer's number within its organization. */
  customerNumber: bigint;
};

type Remade = {
  currency: Currency;
  timeZone: string;
  dates: InvoiceDates;
  computed: Pick<ReturnType<typeof computeInvoice>, "figures" | "taxesRate"> &
    Partial<Pick<ReturnType<typeof computeInvoice>, "couponUses" | "creditNoteUses">> & {
      taxLines: readonly {
        tax: { code: string; rate: Decimal };
        baseMinor: bigint;
        amountMinor: bigint;
      }[];
      derivation: unknown;
    };
  fees: readonly RemadeFee[];
};

type RemadeColumn =
  | Exclude<ComparedColumn, "fee_type">
  | "id"
  | "bill_id"
  | "fee_key"
  | "true_up_parent_fee_id"
  | "taxes";

/** Where no fee is stored to compare with, the type is empty. */
type RemadeFee = Pick<NewFee, RemadeColumn> & { fee_type: NewFee["fee_type"] | "" };

/** Everything that determines an amount. Names are left out: plan terms do not store the names of metrics. */
const COMPARED = [
  "fee_type",
  "kind",
  "subscription_id",
  "charge_id",
  "charge_filter_id",
  "item_id",
  "item_code",
  "pay_in_advance",
  "invoiceable",
  "is_renewal",
  "currency",
  "amount_cents",
  "precise_amount_cents",
  "precise_unit_amount",
  "precise_coupons_amount_cents",
  "taxes_amount_cents",
  "taxes_rate",
  "units",
  "events_count",
  "from_at",
  "to_at",
  "grouped_by",
  "derivation",
] as const satisfies (keyof FeeRow)[];

export type ComparedColumn = (typeof COMPARED)[number];

/** Members by path, each as text. Two invoices are equal if all members are equal. */
export type Members = ReadonlyMap<string, string>;

export function membersOfStored(stored: StoredInvoice): Members {
  const { row, fees, feeTaxes, taxes, credits } = stored;
  const keys = new Map(fees.map((fee) => [fee.id, pathOf(fee)]));
  const taxesOf = Map.groupBy(feeTaxes, ({ fee_id }) => fee_id);
  return flatten({
    ...pick(row, ["currency", "time_zone", "issuing_date", "payment_due_date", "number"]),
    ...pick(row, ["fees_amount_cents", "coupons_amount_cents", "taxes_amount_cents", "credit_notes_amount_cents"]),
    ...pick(row, ["prepaid_credit_amount_cents", "total_amount_cents", "taxes_rate"]),
    applied_taxes: taxes.map(({ tax_code, tax_rate, fees_amount_cents, amount_cents }) => ({
      tax_code,
      tax_rate,
      fees_amount_cents,
      amount_cents,
    })),
    credits: credits.map(({ kind, owner_id, amount_cents }) => ({ kind, owner_id, amount_cents })),
    fees: Object.fromEntries(
      fees.map((fee) => [
        pathOf(fee),
        {
          ...pick(fee, COMPARED),
          true_up_parent: keys.get(fee.true_up_parent_fee_id ?? "") ?? null,
          applied_taxes: (taxesOf.get(fee.id) ?? []).map(({ tax_code, tax_rate, amount_cents }) => ({
            tax_code,
            tax_rate,
            amount_cents,
          })),
        },
      ]),
    ),
    derivation: row.derivation,
  });
}

export function membersOfRemade({ row, customerNumber }: StoredInvoice, remade: Remade): Members {
  const { computed, dates, fees } = remade;
  const { figures, taxLines, couponUses = [], creditNoteUses = [] } = computed;
  const keys = new Map(fees.map((fee) => [fee.id, pathOf(fee)]));
  return flatten({
    currency: remade.currency,
    time_zone: remade.timeZone,
    issuing_date: dates.issuingDate,
    payment_due_date: dates.paymentDueDate,
    number: numberOf(row, customerNumber),
    fees_amount_cents: figures.feesMinor,
    coupons_amount_cents: figures.couponsMinor,
    taxes_amount_cents: figures.taxesMinor,
    credit_notes_amount_cents: figures.creditNotesMinor,
    prepaid_credit_amount_cents: figures.prepaidMinor,
    total_amount_cents: figures.totalMinor,
    taxes_rate: computed.taxesRate,
    applied_taxes: taxLines.map(({ tax: { code, rate }, baseMinor, amountMinor }) => ({
      tax_code: code,
      tax_rate: rate,
      fees_amount_cents: baseMinor,
      amount_cents: amountMinor,
    })),
    credits: [
      ...couponUses.map((use) => ({ kind: "coupon", owner_id: use.coupon.id, amount_cents: use.creditMinor })),
      ...creditNoteUses.map((use) => ({ kind: "credit_note", owner_id: use.note.id, amount_cents: use.amountMinor })),
    ],
    fees: Object.fromEntries(
      fees.map((fee) => [
        pathOf(fee),
        {
          ...pick(fee, COMPARED),
          grouped_by: parseJson(String(fee.grouped_by)),
          derivation: parseJson(String(fee.derivation)),
          true_up_parent: keys.get(fee.true_up_parent_fee_id ?? "") ?? null,
          applied_taxes: fee.taxes.map(({ code, rate, amountMinor }) => ({
            tax_code: code,
            tax_rate: rate,
            amount_cents: amountMinor,
          })),
        },
      ]),
    ),
    derivation: computed.derivation,
  });
}

const pathOf = ({ bill_id, fee_key }: { bill_id?: string | null | undefined; fee_key: string }): string =>
  bill_id ? `${bill_id} ${fee_key}` : fee_key;

/** The prefix and the numbering scheme may have changed since, but the counter values have not. */
function numberOf(row: InvoiceRow, customerNumber: bigint): string {
  const { sequential_id: sequential, organization_sequential_id: ofOrganization } = row;
  const number = ofOrganization ?? sequential ?? 0n;
  const whole = invoiceNumber("", { type: "per_customer", customerNumber, number });
  const end = ofOrganization === null ? whole : whole.slice(whole.lastIndexOf("-"));
  return row.number?.endsWith(end) ? row.number : `…${end}`;
}

const pick = <Row extends object, Name extends keyof Row>(row: Row, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, row[name]]));

/** Labels in derivations do not affect amounts. */
const NOT_COMPARED = "label";

function flatten(value: unknown): Members {
  const members = new Map<string, string>();
  const walk = (path: string, part: unknown): void => {
    if (part === null || part === undefined) members.set(path, "null");
    else if (typeof part !== "object" || isLeaf(part)) members.set(path, leafText(part));
    else if (Array.isArray(part)) part.forEach((item, index) => void walk(`${path}[${index}]`, item));
    else
      for (const [name, member] of Object.entries(part))
        if (name !== NOT_COMPARED) walk(path === "" ? name : `${path}.${name}`, member);
  };
  walk("", value);
  return members;
}

const isDecimal = (part: object): part is Decimal => "toFixed" in part;
const isLeaf = (part: object): boolean =>
  isDecimal(part) || part instanceof Temporal.Instant || part instanceof Temporal.PlainDate;
const leafText = (part: unknown): string =>
  typeof part === "object" && part !== null && isDecimal(part) ? part.toFixed() : String(part);

export type Difference = { member: string; stored: string | null; recomputed: string | null };

/** In the order of the members. null: the member is missing. */
export function differencesOf(stored: Members, recomputed: Members): Difference[] {
  const names = [...new Set([...stored.keys(), ...recomputed.keys()])];
  return names.flatMap((member) => {
    const [before, after] = [stored.get(member) ?? null, recomputed.get(member) ?? null];
    return before === after ? [] : [{ member, stored: before, recomputed: after }];
  });
}
