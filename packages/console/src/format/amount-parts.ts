/** The steps of a price in words. */
import type { AmountPart } from "@tallystick/core/rating";
import { exactMoney, quantity } from "./money.ts";

export function partTitle(part: AmountPart): string {
  switch (part.kind) {
    case "tier":
    case "tier_share":
      return part.tier.to === null
        ? `Units from ${quantity(part.tier.from)} on`
        : `Units ${quantity(part.tier.from)} to ${quantity(part.tier.to)}`;
    case "packages":
      return `Packages of ${quantity(part.packageSize)}`;
    case "share":
      return "Share of the amount";
    case "per_event":
      return "For each event";
    case "flat":
      return "Flat amount of the tier";
    case "limits":
      return "Limits for each event";
    case "by_days":
      return "Units weighed by days";
    case "change":
      return `${quantity(part.units)} units, ${part.days} of ${part.periodDays} days`;
  }
}

export function partSum(part: AmountPart, currency: string): string | undefined {
  switch (part.kind) {
    case "tier":
      return `${quantity(part.tier.units)} × ${exactMoney(part.perUnit, currency)}`;
    case "tier_share":
      return `${quantity(part.tier.units)} × ${part.rate} %`;
    case "packages":
      return `${quantity(part.packages)} × ${exactMoney(part.perPackage, currency)}, ${quantity(part.freeUnits)} units free`;
    case "share":
      return `${exactMoney(part.units, currency)} × ${part.rate} %`;
    case "per_event":
      return `${part.events} × ${exactMoney(part.perEvent, currency)}`;
    case "by_days":
      return `${quantity(part.units)} × ${exactMoney(part.perUnit, currency)}`;
    default:
      return undefined;
  }
}
