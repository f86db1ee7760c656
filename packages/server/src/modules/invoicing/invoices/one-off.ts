/** POST /invoices: bills add-ons at once on their own invoice. */
import assert from "node:assert/strict";
import { computeInvoice, oneOffFee } from "@tallystick/core/invoicing";
import {
  type Currency,
  currency,
  type Decimal,
  decimal,
  fraction,
  inMajorUnits,
  minor,
  roundTo,
  sumMinor,
} from "@tallystick/core/money";
import { invalid } from "../../../http/problem.ts";
import { newId } from "../../../platform/new-id.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import {
  type AddOnRow,
  addOnErrors,
  findAddOns,
  findTaxesOfAddOns,
  holdTaxes,
  type TaxRow,
} from "../../catalogue/index.ts";
import {
  customerErrors,
  holdCustomerByExternalId,
  type LockedCustomer,
  updateCustomer,
} from "../../customers/index.ts";
import type { FeeItemTexts, NewFee } from "../fees/index.ts";
import { toCustomerTaxes, toTax } from "./decide-invoice.ts";
import { invoiceErrors } from "./errors.ts";
import { paymentOf, type TaxRows, toTaxOf } from "./fee-rows.ts";
import { issueAtOnce } from "./issue-at-once.ts";
import { loadPayer, type Payer } from "./load-billing.ts";
import { taxOf } from "./made-from.ts";
import type { InvoiceWorkDeps } from "./save-invoice.ts";
import type { InvoiceRow } from "./store.ts";

const UNIT_DIGITS = 15;

export type RequestedFee = {
  addOnCode: string;
  units: Decimal | null;
  unitAmountCents: number | null;
  description: string | null;
  /** null: the taxes of the add-on, else of the customer. */
  taxCodes: readonly string[] | null;
};

export type OneOffRequest = {
  externalCustomerId: string;
  currency: string | null;
  purchaseOrderNumber: string | null;
  fees: readonly RequestedFee[];
};

export async function createOneOff(
  tx: Tx,
  deps: InvoiceWorkDeps,
  organizationId: string,
  request: OneOffRequest,
): Promise<InvoiceRow> {
  const locked = await holdCustomerByExternalId(tx, organizationId, request.externalCustomerId, deps.clock);
  if (!locked) throw customerErrors.problem("customer_not_found", [request.externalCustomerId]);
  if (request.fees.length === 0) throw invoiceErrors.problem("fees_not_found");
  const payer = await loadPayer(alone(tx), organizationId, locked.row.id);
  const lines = await loadLines(tx, organizationId, request.fees);
  const code = await chooseCurrency(tx, locked, request.currency, lines);
  const { now } = locked;
  const issued = {
    payer,
    invoiceType: "one_off",
    at: now,
    purchaseOrderNumber: request.purchaseOrderNumber,
    webhookType: "invoice.one_off_created",
  } as const;
  return issueAtOnce(alone(tx), deps, issued, (invoice) => contentOf({ invoice, payer, lines, code, now }));
}

type Issued = { invoice: InvoiceRow; payer: Payer; lines: readonly Line[]; code: Currency; now: Temporal.Instant };

function contentOf({ invoice, payer, lines, code, now }: Issued) {
  const fees = lines.map((line, index) => priceLine(line, index, code));
  demandModest(fees);
  const computed = computeInvoice({
    id: invoice.id,
    form: { type: "one_off", status: "finalized" },
    currency: code,
    at: now,
    fees: fees.map(({ id, line: { addOn, feeTaxes, addOnTaxes }, priced }) => ({
      id,
      label: addOn.invoice_display_name ?? addOn.name,
      amountMinor: priced.amountMinor,
      item: { kind: "add_on", feeTaxes: feeTaxes.map(toTax), addOnTaxes: addOnTaxes.map(toTax) },
    })),
    taxes: toCustomerTaxes(payer),
    coupons: [],
    creditNotes: [],
    wallets: [],
  });
  const taxRows = taxRowsOf(lines, payer);
  return {
    computed,
    fees: fees.map((fee) => toRow(fee, { invoice, computed, taxRows, code, now })),
    taxRows,
    currency: code,
    madeFrom: madeFrom(payer, fees),
  };
}

type Line = { requested: RequestedFee; addOn: AddOnRow; feeTaxes: readonly TaxRow[]; addOnTaxes: readonly TaxRow[] };

async function loadLines(tx: Tx, organizationId: string, fees: readonly RequestedFee[]): Promise<Line[]> {
  const found = await findAddOns(tx, organizationId, [...new Set(fees.map(({ addOnCode }) => addOnCode))]);
  const addOns = new Map(found.map((addOn) => [addOn.code, addOn]));
  const taxes = await findTaxesOfAddOns(
    tx,
    organizationId,
    found.map(({ id }) => id),
  );
  const unknown = fees.map(({ addOnCode }) => addOnCode).filter((code) => !addOns.has(code));
  const lines: Line[] = [];
  for (const requested of fees) {
    const addOn = addOns.get(requested.addOnCode);
    if (!addOn) throw addOnErrors.problem("add_on_not_found", unknown);
    const feeTaxes = requested.taxCodes ? await holdTaxes(tx, organizationId, requested.taxCodes) : [];
    lines.push({ requested, addOn, feeTaxes, addOnTaxes: taxes.filter(({ add_on_id }) => add_on_id === addOn.id) });
  }
  return lines;
}

/** A customer has one currency, that of its first invoice. Amounts of add-ons are not converted. */
async function chooseCurrency(
  tx: Tx,
  { row, now }: LockedCustomer,
  requested: string | null,
  lines: readonly Line[],
): Promise<Currency> {
  const [first] = lines;
  assert(first, "fees are not empty");
  const code = requested ?? row.currency ?? first.addOn.amount_currency;
  const isOther = lines.some(
    ({ requested: { unitAmountCents }, addOn }) => unitAmountCents === null && addOn.amount_currency !== code,
  );
  if (isOther || (row.currency !== null && row.currency !== code))
    throw invoiceErrors.invalid("currency", "currencies_does_not_match");
  if (row.currency === null) await updateCustomer(tx, row.organization_id, row.id, { currency: code, updated_at: now });
  return currency(code);
}

type PricedLine = { id: string; index: number; line: Line; priced: ReturnType<typeof oneOffFee> };

function priceLine(line: Line, index: number, code: Currency): PricedLine {
  const { addOn, requested } = line;
  const priced = oneOffFee({
    currency: code,
    addOnAmountMinor: minor(addOn.amount_cents),
    unitAmountMinor: requested.unitAmountCents === null ? null : minor(BigInt(requested.unitAmountCents)),
    units: requested.units,
  });
  return { id: newId(), index, line, priced };
}

/** The amount owed must fit its column, with room for taxes. */
function demandModest(fees: readonly PricedLine[]): void {
  const total = sumMinor(fees.map(({ priced }) => priced.amountMinor));
  if (total > BigInt(Number.MAX_SAFE_INTEGER)) throw invalid({ units: ["value_is_out_of_range"] });
}

type RowContext = {
  invoice: InvoiceRow;
  computed: ReturnType<typeof computeInvoice>;
  taxRows: TaxRows;
  code: Currency;
  now: Temporal.Instant;
};

function toRow({ id, index, line, priced }: PricedLine, context: RowContext): NewFee {
  const { invoice, computed, taxRows, code, now } = context;
  const { addOn, requested } = line;
  const figures = computed.fees.find((fee) => fee.id === id);
  assert(figures, "core computes the fees that it was given");
  const item: FeeItemTexts = {
    name: addOn.name,
    invoice_display_name: addOn.invoice_display_name ?? addOn.name,
    filters: null,
    filter_invoice_display_name: null,
  };
  return {
    id,
    customer_id: invoice.customer_id,
    invoice_id: invoice.id,
    fee_key: `add_on:${index}`,
    kind: "add_on",
    line: index,
    fee_type: "add_on",
    item_id: addOn.id,
    item_code: addOn.code,
    item: JSON.stringify(item),
    grouped_by: "{}",
    pay_in_advance: false,
    invoiceable: true,
    is_renewal: false,
    currency: code,
    amount_cents: priced.amountMinor,
    precise_amount_cents: roundTo(fraction(priced.unitAmountMinor).times(priced.units), UNIT_DIGITS),
    precise_unit_amount: roundTo(inMajorUnits(priced.unitAmountMinor, code), UNIT_DIGITS),
    precise_coupons_amount_cents: decimal("0"),
    taxes_amount_cents: figures.taxesMinor,
    taxes_rate: figures.taxesRate,
    units: priced.units,
    events_count: null,
    description: requested.description ?? addOn.description,
    ...paymentOf(computed.paymentStatus, now),
    derivation: JSON.stringify({ type: "one_off", ...priced.derivation }),
    taxes: figures.taxes.map((tax) => toTaxOf(tax, taxRows)),
  };
}

const taxRowsOf = (lines: readonly Line[], { taxes }: Payer): TaxRows =>
  new Map(
    [
      ...lines.flatMap(({ feeTaxes, addOnTaxes }) => [...feeTaxes, ...addOnTaxes]),
      ...taxes.customer,
      ...taxes.organization,
    ].map((row) => [row.code, row]),
  );

const madeFrom = ({ taxes }: Payer, fees: readonly PricedLine[]) => ({
  taxes: { customer: taxes.customer.map(taxOf), organization: taxes.organization.map(taxOf) },
  fees: fees.map(({ line: { addOn, requested, feeTaxes, addOnTaxes }, priced }) => ({
    addOnId: addOn.id,
    unitAmountMinor: String(priced.unitAmountMinor),
    units: requested.units?.toFixed() ?? null,
    feeTaxes: feeTaxes.map(taxOf),
    addOnTaxes: addOnTaxes.map(taxOf),
  })),
});
