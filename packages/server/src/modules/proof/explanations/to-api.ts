/** Explanations: what the API gives. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { LINE_NAMES } from "@tallystick/core/explanation";
import { currency, exactText, type Fraction, inMinorUnits, roundTo } from "@tallystick/core/money";
import {
  anyMembers,
  decimalText,
  id,
  instant,
  nullable,
  oneOf,
  toApiDecimal,
  toApiInstant,
  wholeNumber,
} from "../../../http/fields.ts";
import type { FeeItemTexts } from "../../invoicing/index.ts";
import type { FeeExplanation } from "./explain-fee.ts";
import type { InvoiceExplanation } from "./explain-invoice.ts";
import type { EventsPage } from "./page-of-events.ts";
import { feeText, LINE_WORDS } from "./text.ts";

const exactAmount = () =>
  Type.String({
    description: "Exact: plain decimals, or a fraction where they never end. These add up",
    examples: ["12.5", "55/3"],
  });
const preciseAmount = () => decimalText("The same, rounded to 15 decimals");
const lines = () => Type.Array(Type.String(), { description: "For people, in English" });

const line = Type.Object({
  name: oneOf(LINE_NAMES),
  label: Type.String(),
  exact_amount_cents: exactAmount(),
  precise_amount_cents: preciseAmount(),
});

export const feeExplanationSchema = Type.Object({
  svc_fee_id: id(),
  svc_invoice_id: nullable(id("Null where it stands alone")),
  currency: Type.String(),
  amount_cents: wholeNumber(),
  units: decimalText(),
  window: nullable(
    Type.Object({
      from: instant("Included"),
      to: instant("Not included"),
      timezone: Type.String(),
      first_day: Type.String({ description: "Local dates that count for proration, both included" }),
      last_day: Type.String(),
      period_days: Type.Integer({ description: "Of the full period: what proration divides by" }),
    }),
  ),
  filters: nullable(anyMembers<readonly string[]>("Key → values")),
  grouped_by: anyMembers<string | null>("Property → value"),
  events_counted: nullable(Type.Integer({ description: "Null where it is not of usage in a window" })),
  events_ignored: nullable(Type.Integer({ description: "They lack what the metric counts" })),
  lines: Type.Array(line, { description: "They add up to `amount_cents`" }),
  coupons: Type.Array(
    Type.Object({ code: Type.String(), exact_amount_cents: exactAmount(), precise_amount_cents: preciseAmount() }),
    { description: "What the fee bears of each" },
  ),
  taxes: Type.Array(
    Type.Object({ code: Type.String(), name: Type.String(), rate: Type.Number(), amount_cents: wholeNumber() }),
  ),
  derivation: anyMembers<unknown>("As it was stored with the fee: its amount can be computed from this alone"),
  text: lines(),
});

export const invoiceExplanationSchema = Type.Object({
  svc_invoice_id: id(),
  currency: nullable(Type.String()),
  total_amount_cents: wholeNumber(),
  fees: Type.Array(Type.Object({ svc_fee_id: id(), name: Type.String(), amount_cents: wholeNumber(), text: lines() })),
  derivation: nullable(anyMembers<unknown>("As it was stored with the invoice")),
  text: lines(),
});

export const contributionSchema = Type.Object({
  svc_event_id: id(),
  transaction_id: Type.String(),
  timestamp: instant(),
  is_counted: Type.Boolean({ description: "False: it lacks what the metric counts, and contributed nothing" }),
  units: Type.String({ description: "What it added to the units of the fee; exact, as amounts are", examples: ["1"] }),
  exact_amount_cents: exactAmount(),
  precise_amount_cents: preciseAmount(),
});

export const eventsMetaSchema = Type.Object({
  next_cursor: nullable(Type.String({ description: "For the next page; null on the last one" })),
  running_exact_amount_cents: Type.String({
    description: "What was carried over and all events up to here contributed",
    examples: ["1250"],
  }),
});

const PRECISE_DIGITS = 15;

function toApiAmount(amount: Fraction, code: string) {
  const inMinor = inMinorUnits(amount, currency(code));
  return {
    exact_amount_cents: exactText(inMinor),
    precise_amount_cents: toApiDecimal(roundTo(inMinor, PRECISE_DIGITS)),
  };
}

export function toApiFeeExplanation(explained: FeeExplanation): Static<typeof feeExplanationSchema> {
  const { row, derivation, lines, coupons, taxes } = explained;
  const quantity = "quantity" in derivation ? derivation.quantity : null;
  const { filters } = row.item as FeeItemTexts;
  return {
    svc_fee_id: row.id,
    svc_invoice_id: row.invoice_id,
    currency: row.currency,
    amount_cents: row.amount_cents,
    units: toApiDecimal(row.units),
    window: quantity && {
      from: quantity.window.from,
      to: quantity.window.to,
      timezone: quantity.window.timeZone,
      first_day: quantity.window.firstDay,
      last_day: quantity.window.lastDay,
      period_days: quantity.window.periodDays,
    },
    filters,
    grouped_by: row.grouped_by as Record<string, string | null>,
    events_counted: quantity && Number(quantity.eventsCounted),
    events_ignored: quantity && Number(quantity.eventsIgnored),
    lines: lines.map(({ name, amount }) => ({ name, label: LINE_WORDS[name], ...toApiAmount(amount, row.currency) })),
    coupons: coupons.map(({ code, share }) => ({
      code,
      exact_amount_cents: exactText(share),
      precise_amount_cents: toApiDecimal(roundTo(share, PRECISE_DIGITS)),
    })),
    taxes: taxes.map(({ tax_code, tax_name, tax_rate, amount_cents }) => ({
      code: tax_code,
      name: tax_name,
      rate: Number(tax_rate.toFixed()),
      amount_cents,
    })),
    derivation: derivation as unknown as Record<string, unknown>,
    text: feeText(explained),
  };
}

export const toApiInvoiceExplanation = ({
  row,
  fees,
  text,
}: InvoiceExplanation): Static<typeof invoiceExplanationSchema> => ({
  svc_invoice_id: row.id,
  currency: row.currency,
  total_amount_cents: row.total_amount_cents,
  fees: fees.map(({ row: fee, name, steps }) => ({
    svc_fee_id: fee.id,
    name,
    amount_cents: fee.amount_cents,
    text: [...steps],
  })),
  derivation: row.derivation as Record<string, unknown> | null,
  text: [...text],
});

export const toApiContributions = ({ events }: EventsPage, code: string): Static<typeof contributionSchema>[] =>
  events.map(({ event, contribution }) => ({
    svc_event_id: event.id,
    transaction_id: event.transactionId,
    timestamp: toApiInstant(event.at),
    is_counted: contribution.isCounted,
    units: exactText(contribution.units),
    ...toApiAmount(contribution.amount, code),
  }));

export const toApiRunning = ({ runningAmount }: EventsPage, code: string): string =>
  toApiAmount(runningAmount, code).exact_amount_cents;
