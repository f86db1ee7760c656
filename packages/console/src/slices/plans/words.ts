/** What the members of a plan are called on the pages. */

import type { ChargeModel } from "@tallystick/core/catalog";
import { currency as currencyOf, isCurrency } from "@tallystick/core/money";
import { exactMoney, minorOf, money } from "../../format/money.ts";
import type { DraftPrice, Interval, Timing } from "./draft.ts";

export const MODEL_WORDS: Readonly<Record<ChargeModel, { name: string; about: string }>> = {
  standard: { name: "Per unit", about: "each unit costs the same" },
  graduated: { name: "Graduated", about: "each unit at the price of its tier" },
  volume: { name: "Volume", about: "all units at the price of the tier of the total" },
  package: { name: "Packages", about: "whole packages of units" },
  percentage: { name: "Percentage", about: "a share of an amount" },
  graduated_percentage: { name: "Graduated percentage", about: "a share that depends on the tier" },
};

export const TIMING_WORDS: Readonly<Record<Timing, string>> = {
  arrears: "After the period",
  each: "At once, an invoice for each event",
  no_invoice: "At once, not on an invoice",
  regroup: "At once, on one invoice after payment",
};

export const INTERVAL_WORDS: Readonly<Record<Interval, { every: string; one: string }>> = {
  weekly: { every: "weekly", one: "week" },
  monthly: { every: "monthly", one: "month" },
  quarterly: { every: "quarterly", one: "quarter" },
  semiannual: { every: "every six months", one: "half year" },
  yearly: { every: "yearly", one: "year" },
};

type PriceField = Exclude<keyof DraftPrice, "tiers" | "groupedBy">;
export type FieldWords = { field: PriceField; label: string; kind: "amount" | "percent" | "count"; about?: string };

const AMOUNT: FieldWords = { field: "amount", label: "Price of a unit", kind: "amount" };

/** The fields of the models that have no tiers. */
export const PRICE_FIELDS: Readonly<Record<ChargeModel, readonly FieldWords[]>> = {
  standard: [AMOUNT],
  graduated: [],
  volume: [],
  graduated_percentage: [],
  package: [
    { ...AMOUNT, label: "Price of a package" },
    { field: "packageSize", label: "Units in a package", kind: "count" },
    { field: "freeUnits", label: "Free units", kind: "count" },
  ],
  percentage: [
    { field: "rate", label: "Percent", kind: "percent" },
    { field: "fixedAmount", label: "For each event", kind: "amount", about: "Added to the share. Empty: nothing" },
    { field: "freeEvents", label: "Free events", kind: "count", about: "Empty: none" },
    { field: "freeTotal", label: "Free amount", kind: "amount", about: "Empty: none" },
    { field: "leastPerEvent", label: "Least for an event", kind: "amount", about: "Empty: no limit" },
    { field: "mostPerEvent", label: "Most for an event", kind: "amount", about: "Empty: no limit" },
  ],
};

export const hasTiers = (model: ChargeModel): boolean =>
  model === "graduated" || model === "volume" || model === "graduated_percentage";

/** So many decimals are shown with the sign of the currency; more would be rounded. */
const SHOWN_DECIMALS = 15;

/** A price as it was entered, with its currency. */
export function priceText(text: string, currency: string): string {
  const [, decimals = ""] = text.split(".");
  if (!/^\d+(\.\d+)?$/.test(text) || !isCurrency(currency)) return text;
  return decimals.length > SHOWN_DECIMALS ? `${text} ${currency}` : exactMoney(text, currencyOf(currency));
}

export function amountText(text: string, currency: string): string {
  const amount = isCurrency(currency) ? minorOf(text, currency) : undefined;
  return amount === undefined ? text : money(amount, currency);
}

const FAULT_WORDS: Readonly<Record<string, string>> = {
  value_is_mandatory: "Fill this in",
  value_is_invalid: "This is not a value that is possible here",
  value_is_out_of_range: "This is too small or too large",
  value_is_too_long: "This is too long",
  value_already_exist: "This is in use already",
  relation_must_exist: "Choose one",
  invalid_amount: "Digits and a point, like 0.05",
  invalid_rate: "Percent with digits and a point, like 1.3",
  invalid_fixed_amount: "The amount for each event: digits and a point",
  invalid_free_units: "Free units: a whole number of 0 or more",
  invalid_package_size: "Units in a package: a whole number of 1 or more",
  invalid_free_units_per_events: "Free events: a whole number of 1 or more",
  invalid_free_units_per_total_aggregation: "Free amount: digits and a point",
  per_transaction_max_lower_than_per_transaction_min: "The most for an event is below the least",
  invalid_graduated_ranges: "Each tier ends above the one before it, at a whole number",
  invalid_volume_ranges: "Each tier ends above the one before it, at a whole number",
  invalid_graduated_percentage_ranges: "Each tier ends above the one before it, at a whole number",
  invalid_value: "A percentage needs the value of each event, which the latest value does not have",
  invalid_aggregation_type_or_charge_model:
    "Billing at once is not possible with this model and metric: bill it after the period",
  invalid_billable_metric_or_charge_model:
    "Weighing by days is possible for recurring metrics with the models per unit, volume and graduated",
  not_compatible_with_pay_in_advance: "A charge that is billed at once has no minimum",
  not_changeable_in_use: "The plan has had subscriptions, whose bills depend on this",
};

export const faultText = (code: string): string => FAULT_WORDS[code] ?? code.replaceAll("_", " ");
