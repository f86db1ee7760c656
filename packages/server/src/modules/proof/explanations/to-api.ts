/** Response schemas of explanations. */
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
import { namedObject } from "../../../http/named-object.ts";
import type { FeeItemTexts } from "../../invoicing/index.ts";
import { feeDerivationSchema, invoiceDerivationSchema } from "./derivation-schema.ts";
import type { FeeExplanation } from "./explain-fee.ts";
import type { InvoiceExplanation } from "./explain-invoice.ts";
import type { EventsPage } from "./page-of-events.ts";
import { feeText, LINE_WORDS } from "./text.ts";

const exactAmount = () =>
  Type.String({
    description: "Exact amount: plain decimals, or a fraction if the decimals never end. Exact amounts add up",
    examples: ["12.5", "55/3"],
  });
const preciseAmount = () => decimalText("The exact amount rounded to 15 decimals");
const lines = () => Type.Array(Type.String(), { description: "Text for people, in English" });

const line = namedObject("ExplanationLine", {
  name: oneOf(LINE_NAMES),
  label: Type.String(),
  exact_amount_cents: exactAmount(),
  precise_amount_cents: preciseAmount(),
});

export const feeExplanationSchema = namedObject("FeeExplanation", {
  svc_fee_id: id(),
  svc_invoice_id: nullable(id("Null for a standalone fee")),
  currency: Type.String(),
  amount_cents: wholeNumber(),
  units: decimalText(),
  window: nullable(
    Type.Object({
      from: instant("Included"),
      to: instant("Not included"),
      timezone: Type.String(),
      first_day: Type.String({
        description: "First local date that counts for proration; first and last day are included",
      }),
      last_day: Type.String(),
      period_days: Type.Integer({ description: "Days of the full period, the divisor of proration" }),
    }),
  ),
  filters: nullable(anyMembers<readonly string[]>("Key → values")),
  grouped_by: anyMembers<string | null>("Property → value"),
  events_counted: nullable(Type.Integer({ description: "Null if the fee is not for usage in a window" })),
  events_ignored: nullable(Type.Integer({ description: "Events without a value that the metric can count" })),
  lines: Type.Array(line, { description: "The lines add up to `amount_cents`" }),
  coupons: Type.Array(
    Type.Object({ code: Type.String(), exact_amount_cents: exactAmount(), precise_amount_cents: preciseAmount() }),
    { description: "The fee's share of each coupon" },
  ),
  taxes: Type.Array(
    Type.Object({ code: Type.String(), name: Type.String(), rate: Type.Number(), amount_cents: wholeNumber() }),
  ),
  derivation: feeDerivationSchema,
  text: lines(),
});

export const invoiceExplanationSchema = namedObject("InvoiceExplanation", {
  svc_invoice_id: id(),
  currency: nullable(Type.String()),
  total_amount_cents: wholeNumber(),
  fees: Type.Array(Type.Object({ svc_fee_id: id(), name: Type.String(), amount_cents: wholeNumber(), text: lines() })),
  derivation: invoiceDerivationSchema,
  text: lines(),
});

export const contributionSchema = namedObject("EventContribution", {
  svc_event_id: id(),
  transaction_id: Type.String(),
  timestamp: instant(),
  is_counted: Type.Boolean({
    description: "False if the event has no value that the metric can count; it contributed nothing",
  }),
  units: Type.String({
    description: "What the event added to the units of the fee, exact as amounts are",
    examples: ["1"],
  }),
  exact_amount_cents: exactAmount(),
  precise_amount_cents: preciseAmount(),
});

export const eventsMetaSchema = namedObject("ContributionsMeta", {
  next_cursor: nullable(Type.String({ description: "Cursor of the next page; null on the last page" })),
  running_exact_amount_cents: Type.String({
    description: "Carried-over usage plus the contributions of all events up to here",
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
