/** The properties that make a price, as the API shows them. */
import type { Decimal } from "../money/index.ts";
import type { Members } from "./members.ts";
import type { PercentagePricing, PercentageTier, Pricing, Tier } from "./pricing.ts";

/** A price in the one form of the API that reads back as the same price; decimals without trailing zeros. */
export function toPricingProperties(pricing: Pricing, groupedBy: readonly string[]): Members {
  return { ...modelProperties(pricing), ...(groupedBy.length > 0 ? { grouped_by: groupedBy } : {}) };
}

function modelProperties(pricing: Pricing): Members {
  switch (pricing.model) {
    case "standard":
      return { amount: pricing.amount.toFixed() };
    case "graduated":
      return { graduated_ranges: pricing.tiers.map(unitRange) };
    case "volume":
      return { volume_ranges: pricing.tiers.map(unitRange) };
    case "package":
      return {
        amount: pricing.amount.toFixed(),
        free_units: Number(pricing.freeUnits),
        package_size: Number(pricing.packageSize),
      };
    case "percentage":
      return percentageProperties(pricing);
    case "graduated_percentage":
      return { graduated_percentage_ranges: pricing.tiers.map(shareRange) };
  }
}

function percentageProperties(pricing: PercentagePricing): Members {
  const limits: Record<string, Decimal | bigint | null> = {
    free_units_per_events: pricing.freeEvents,
    free_units_per_total_aggregation: pricing.freeUnits,
    per_transaction_min_amount: pricing.perTransactionMin,
    per_transaction_max_amount: pricing.perTransactionMax,
  };
  const given = Object.entries(limits).flatMap(([name, limit]) =>
    limit === null ? [] : [[name, typeof limit === "bigint" ? Number(limit) : limit.toFixed()]],
  );
  return { rate: pricing.rate.toFixed(), fixed_amount: pricing.fixedAmount.toFixed(), ...Object.fromEntries(given) };
}

const bounds = ({ from, to }: Tier | PercentageTier): Members => ({
  from_value: Number(from),
  to_value: to === null ? null : Number(to),
});

const unitRange = (tier: Tier): Members => ({
  ...bounds(tier),
  per_unit_amount: tier.perUnit.toFixed(),
  flat_amount: tier.flat.toFixed(),
});

const shareRange = (tier: PercentageTier): Members => ({
  ...bounds(tier),
  rate: tier.rate.toFixed(),
  flat_amount: tier.flat.toFixed(),
});
