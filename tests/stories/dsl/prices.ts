/** Converts prices from their notation in stories to charges of the API. */
import { readRate } from "./amounts.ts";

/** A tier: its last unit, the unit price, and the flat amount: "100 @ 0.10", "200 @ 0.05 + 3.00", "rest @ 0.01". */
type Tiers = readonly string[];

export type Price =
  | { each: string }
  | { graduated: Tiers }
  | { volume: Tiers }
  /** "10 for 100.00" */
  | { packages: string; free?: number }
  /** "1.3 %" of the value of each event. */
  | {
      percentage: string;
      fixed?: string;
      freeEvents?: number;
      freeAmount?: string;
      least?: string;
      most?: string;
    }
  /** "1000 @ 1 % + 200.00" */
  | { graduatedPercentage: Tiers };

type Priced = { charge_model: string; properties: Record<string, unknown> };

export function readPrice(price: Price): Priced {
  if ("each" in price) return { charge_model: "standard", properties: { amount: price.each } };
  if ("graduated" in price) {
    return { charge_model: "graduated", properties: { graduated_ranges: readTiers(price.graduated, unitTier) } };
  }
  if ("volume" in price) {
    return { charge_model: "volume", properties: { volume_ranges: readTiers(price.volume, unitTier) } };
  }
  if ("graduatedPercentage" in price) {
    const ranges = readTiers(price.graduatedPercentage, rateTier);
    return { charge_model: "graduated_percentage", properties: { graduated_percentage_ranges: ranges } };
  }
  if ("packages" in price) return readPackages(price);
  return {
    charge_model: "percentage",
    properties: {
      rate: readRate(price.percentage),
      ...(price.fixed === undefined ? {} : { fixed_amount: price.fixed }),
      ...(price.freeEvents === undefined ? {} : { free_units_per_events: price.freeEvents }),
      ...(price.freeAmount === undefined ? {} : { free_units_per_total_aggregation: price.freeAmount }),
      ...(price.least === undefined ? {} : { per_transaction_min_amount: price.least }),
      ...(price.most === undefined ? {} : { per_transaction_max_amount: price.most }),
    },
  };
}

function readPackages({ packages, free = 0 }: { packages: string; free?: number }): Priced {
  const [, size, amount] = /^(\d+) for (\d+(?:\.\d+)?)$/.exec(packages) ?? [];
  if (size === undefined) throw new Error(`"${packages}" are no packages: write "10 for 100.00"`);
  return { charge_model: "package", properties: { amount, package_size: Number(size), free_units: free } };
}

const unitTier = (price: string) => ({ per_unit_amount: price });
const rateTier = (price: string) => ({ rate: readRate(price) });

function readTiers(tiers: Tiers, priced: (price: string) => object): object[] {
  let from = 0;
  return tiers.map((tier) => {
    const [, end, price, flat = "0"] = /^(\d+|rest) @ (\d[\d.]*(?: %)?)(?: \+ (\d[\d.]*))?$/.exec(tier) ?? [];
    if (end === undefined || price === undefined) throw new Error(`"${tier}" is no tier: write "100 @ 0.10 + 3.00"`);
    const range = { from_value: from, to_value: end === "rest" ? null : Number(end) };
    from = Number(end) + 1;
    return { ...range, ...priced(price), flat_amount: flat };
  });
}
