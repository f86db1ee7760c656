/** Prices of every model: as they are sent, and what they come to by arithmetic of this campaign's own. */
import type { Members } from "../served-api.ts";
import { roundedQuotient } from "./days.ts";
import type { Dice } from "./dice.ts";

/** With so many digits behind the point. */
export type Currency = { readonly code: string; readonly exponent: number };

export type PriceModel = "standard" | "graduated" | "volume" | "package" | "percentage" | "graduated_percentage";
const PRICE_MODELS: readonly PriceModel[] = [
  "standard",
  "graduated",
  "volume",
  "package",
  "percentage",
  "graduated_percentage",
];

/** Of the model, with a price in cents that may have decimals. All else about a model is the same for every charge. */
export type Price = { readonly model: PriceModel; readonly price: string };

export const drawModel = (dice: Dice): PriceModel => dice.oneOf(PRICE_MODELS);

const PACKAGE = { package_size: 25, free_units: 10 };
const RATE = "1.75";

/** Amounts in cents; a rate is a percentage of the units. */
type Tier = { readonly upTo: number | null; readonly amount?: string; readonly rate?: string; readonly flat: string };

const amountTiers = (price: string): readonly Tier[] => [
  { upTo: 40, amount: price, flat: "0" },
  { upTo: 100, amount: "12.5", flat: price },
  { upTo: null, amount: price, flat: "301.5" },
];

const rateTiers = (price: string): readonly Tier[] => [
  { upTo: 50, rate: "10", flat: price },
  { upTo: null, rate: "2.25", flat: "100" },
];

/** The properties of a charge or filter. */
export function toApiPrice({ model, price }: Price, currency: Currency): Members {
  if (model === "package") return { amount: inUnits(price, currency), ...PACKAGE };
  if (model === "percentage") return { rate: RATE, fixed_amount: inUnits(price, currency) };
  if (model === "standard") return { amount: inUnits(price, currency) };
  const tiers = model === "graduated_percentage" ? rateTiers(price) : amountTiers(price);
  const ranges = tiers.map(({ upTo, amount, rate, flat }, index) => ({
    from_value: index === 0 ? 0 : (tiers[index - 1]?.upTo ?? 0) + 1,
    to_value: upTo,
    ...(rate === undefined ? { per_unit_amount: inUnits(amount ?? "0", currency) } : { rate }),
    flat_amount: inUnits(flat, currency),
  }));
  return { [`${model}_ranges`]: ranges };
}

/** Cents as a decimal of units: "33.3" is "0.333". */
function inUnits(price: string, { exponent }: Currency): string {
  const [whole = "0", decimals = ""] = price.split(".");
  const digits = whole.padStart(exponent + 1, "0");
  const at = digits.length - exponent;
  const behind = `${digits.slice(at)}${decimals}`;
  return behind === "" ? digits : `${digits.slice(0, at)}.${behind}`;
}

const SCALE = 1_000_000n;

/** Millionths. */
function scaled(decimal: string): bigint {
  const [whole = "0", decimals = ""] = decimal.split(".");
  return BigInt(`${whole}${decimals.padEnd(6, "0")}`);
}

export type Quantity = { readonly units: number; readonly events: number };

/** What whole units that came in so many events cost, in cents, rounded once. No usage costs nothing. */
export const priced = (price: Price, quantity: Quantity, { exponent }: Currency): number =>
  quantity.units <= 0 ? 0 : roundedQuotient(exactly(price, quantity, 10n ** BigInt(exponent)), SCALE);

function exactly({ model, price }: Price, { units, events }: Quantity, centsPerUnit: bigint): bigint {
  const shareOf = (rate: string, count: number): bigint => (scaled(rate) * BigInt(count) * centsPerUnit) / 100n;
  const costOf = ({ amount, rate, flat }: Tier, count: number): bigint =>
    scaled(flat) + (rate === undefined ? scaled(amount ?? "0") * BigInt(count) : shareOf(rate, count));
  if (model === "standard") return scaled(price) * BigInt(units);
  if (model === "package") {
    const paid = Math.max(0, units - PACKAGE.free_units);
    return scaled(price) * BigInt(Math.ceil(paid / PACKAGE.package_size));
  }
  if (model === "percentage") return shareOf(RATE, units) + scaled(price) * BigInt(events);
  if (model === "volume") {
    const tier = amountTiers(price).find(({ upTo }) => upTo === null || units <= upTo);
    return tier ? costOf(tier, units) : 0n;
  }
  const tiers = model === "graduated" ? amountTiers(price) : rateTiers(price);
  const belowOf = (index: number): number => tiers[index - 1]?.upTo ?? 0;
  return tiers
    .map((tier, index) => ({ tier, count: Math.min(units, tier.upTo ?? units) - belowOf(index) }))
    .filter(({ count }) => count > 0)
    .reduce((sum, { tier, count }) => sum + costOf(tier, count), 0n);
}
