/** A fee as a line of a document, with the parts that add up to it. */
import type { BillFee } from "@tallystick/core/invoicing";
import { decimal, type Exact, fraction, readExact } from "@tallystick/core/money";
import { type AmountPart, amountParts } from "@tallystick/core/rating";
import { dayOf, lastSecond } from "@tallystick/core/time";
import type { FeeItemTexts, FeeRow } from "../../invoicing/index.ts";
import type { Formats } from "./formats.ts";
import type { Line, Part } from "./page.ts";
import { fill, type Words } from "./words/index.ts";

export type Speech = { words: Words; formats: Formats; timeZone: string };

export function feeLine(row: FeeRow, speech: Speech): Line {
  const { formats } = speech;
  const parts = partsOf(row, speech);
  return {
    name: nameOf(row, speech.words),
    details: [periodOf(row, speech), row.description ?? ""].filter((detail) => detail !== ""),
    units: formats.number(row.units),
    // An average unit price would mislead next to the actual prices.
    unitPrice: parts.length > 0 ? "" : formats.exactAmount(row.precise_unit_amount),
    taxRate: formats.rate(row.taxes_rate),
    amount: formats.amount(row.amount_cents),
    parts,
  };
}

/** A fee without units and without amount gets no line. */
export const isShown = ({ fee_type, units, amount_cents }: FeeRow): boolean =>
  fee_type !== "charge" || amount_cents !== 0n || !units.eq("0");

function nameOf(row: FeeRow, words: Words): string {
  const { invoice_display_name: name, filter_invoice_display_name: filterName, filters } = row.item as FeeItemTexts;
  if (row.fee_type === "commitment") return words.commitment;
  if (row.fee_type === "credit") return words.prepaidCredits;
  const groups = Object.values(row.grouped_by as Record<string, string | null>).filter((value) => value !== null);
  const filter =
    filterName ??
    Object.values(filters ?? {})
      .flat()
      .join(", ");
  const whole = [name, filter, ...groups].filter((part) => part !== "").join(" · ");
  return row.true_up_parent_fee_id === null ? whole : fill(words.trueUp, { name: whole });
}

/** Tax law requires the billed period on an invoice. */
function periodOf({ from_at: from, to_at: to, derivation }: FeeRow, { formats, timeZone }: Speech): string {
  if (!from || !to) return "";
  const first = firstDayOf(derivation as BillFee["derivation"] | { type: "other" }) ?? dayOf(from, timeZone);
  const last = dayOf(from.equals(to) ? to : lastSecond(to), timeZone);
  return first.equals(last) ? formats.date(first) : `${formats.date(first)} – ${formats.date(last)}`;
}

/** The first day as it was counted, if stored. The customer may have changed its time zone since the period began. */
function firstDayOf(how: BillFee["derivation"] | { type: "other" }): Temporal.PlainDate | undefined {
  if (how.type === "subscription_fee") return Temporal.PlainDate.from(how.firstDay);
  return how.type === "usage" ? Temporal.PlainDate.from(how.quantity.window.firstDay) : undefined;
}

function partsOf({ derivation, amount_cents }: FeeRow, { words, formats }: Speech): Part[] {
  // Add-ons and prepaid credits have derivations of another type.
  const how = derivation as BillFee["derivation"] | { type: "other" };
  switch (how.type) {
    case "usage":
    case "renewal":
    case "in_advance":
      return amountParts(how.fee.pricing).map((part) => shownPart(part, { words, formats }));
    case "subscription_fee": {
      const { days, freeDays, periodDays, planAmountMinor } = how;
      if (days - freeDays === periodDays) return [];
      const amount = formats.amount(BigInt(planAmountMinor));
      const label = fill(words.subscriptionDays, { days: String(days - freeDays), period: String(periodDays), amount });
      return [{ label, units: "", unitPrice: "", amount: formats.amount(amount_cents) }];
    }
    case "charge_minimum":
    case "commitment": {
      const span = { days: String(how.days), period: String(how.periodDays) };
      const required = amount_cents + BigInt(how.usedMinor);
      return [
        { label: fill(words.minimum, span), units: "", unitPrice: "", amount: formats.amount(required) },
        { label: words.billed, units: "", unitPrice: "", amount: formats.amount(-BigInt(how.usedMinor)) },
      ];
    }
    default:
      return [];
  }
}

function shownPart(part: AmountPart, { words, formats }: Omit<Speech, "timeZone">): Part {
  const number = (text: string) => formats.number(readExact(text));
  const price = (text: string) => formats.exactAmount(readExact(text));
  const rate = (text: string) => formats.rate(readExact(text));
  const amount = formats.exactAmount(part.amount as Exact);
  switch (part.kind) {
    case "tier":
      return {
        label: tierName(part.tier, words, number),
        units: number(part.tier.units),
        unitPrice: price(part.perUnit),
        amount,
      };
    case "tier_share":
      return {
        label: tierName(part.tier, words, number),
        units: number(part.tier.units),
        unitPrice: rate(part.rate),
        amount,
      };
    case "flat":
      return { label: words.flat, units: "", unitPrice: "", amount };
    case "packages": {
      const { packages: count, packageSize: size, paidUnits: paid } = part;
      const bought = fill(words.packages, { count: number(count), size: number(size), paid: number(paid) });
      const label = withFree(bought, part.freeUnits, fill(words.freeUnits, { units: number(part.freeUnits) }));
      return { label, units: number(count), unitPrice: price(part.perPackage), amount };
    }
    case "share": {
      const label = fill(words.share, { rate: rate(part.rate), units: number(part.units) });
      const free = fill(words.freeAmount, { units: number(part.freeUnits) });
      return {
        label: withFree(label, part.freeUnits, free),
        units: number(part.units),
        unitPrice: rate(part.rate),
        amount,
      };
    }
    case "per_event": {
      const label = withFree(
        words.perEvent,
        part.freeEvents,
        fill(words.freeEvents, { count: number(part.freeEvents) }),
      );
      return { label, units: number(part.events), unitPrice: price(part.perEvent), amount };
    }
    case "limits":
      return { label: words.limits, units: "", unitPrice: "", amount };
    case "by_days":
      return { label: words.byDays, units: number(part.units), unitPrice: price(part.perUnit), amount };
    case "change": {
      const span = { units: number(part.units), days: String(part.days), period: String(part.periodDays) };
      return { label: fill(words.change, span), units: number(part.units), unitPrice: "", amount };
    }
  }
}

const withFree = (label: string, freeText: string, free: string): string =>
  fraction(decimal(freeText)).isZero() ? label : `${label}, ${free}`;

type TierBounds = { from: string; to: string | null };
const tierName = ({ from, to }: TierBounds, words: Words, number: (text: string) => string): string =>
  to === null ? fill(words.lastTier, { from: number(from) }) : fill(words.tier, { from: number(from), to: number(to) });
