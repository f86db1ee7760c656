/** The prices of a plan that a subscription can have for itself: each number where it stands, and the overrides that new numbers make. */
import type { Charge, ChargeOverrides, ChargeProperties } from "@tallystick/client";

/** `path`: where it stands in the charges of the plan. */
export type Price = { path: string; label: string; text: string };
export type PricedCharge = { charge: Charge; prices: readonly Price[] };

const LABELS: Readonly<Record<string, string>> = {
  amount: "Price",
  rate: "Percent",
  fixed_amount: "Fixed amount per event",
  per_unit_amount: "per unit",
  flat_amount: "flat",
};
const RANGES = ["graduated_ranges", "volume_ranges", "graduated_percentage_ranges"] as const;

export const pricedCharges = (charges: readonly Charge[]): PricedCharge[] =>
  charges.map((charge, index) => ({
    charge,
    prices: [
      ...pricesIn(charge.properties, `${index}.properties`, ""),
      ...charge.filters.flatMap(({ values, properties, invoice_display_name }, filter) =>
        pricesIn(properties, `${index}.filters.${filter}.properties`, `${invoice_display_name ?? wordsOf(values)}: `),
      ),
    ],
  }));

const wordsOf = (values: Record<string, string[]>): string => Object.values(values).flat().join(", ");

function pricesIn(properties: ChargeProperties, path: string, before: string): Price[] {
  const found: Price[] = [];
  for (const [name, value] of Object.entries(properties))
    if (typeof value === "string" && name in LABELS)
      found.push({ path: `${path}.${name}`, label: `${before}${labelOf(name, properties)}`, text: value });
  for (const kind of RANGES)
    for (const [index, range] of (properties[kind] ?? []).entries())
      for (const [name, value] of Object.entries(range))
        if (typeof value === "string" && name in LABELS)
          found.push({
            path: `${path}.${kind}.${index}.${name}`,
            label: `${before}${range.from_value} to ${range.to_value ?? "∞"}, ${LABELS[name]?.toLowerCase()}`,
            text: value,
          });
  return found;
}

const labelOf = (name: string, { package_size: size }: ChargeProperties): string =>
  name === "amount" ? (size === undefined ? "Price per unit" : `Price per ${size} units`) : (LABELS[name] ?? name);

/** Only charges with a new number are named: the others stay as they are. */
export function overridesOf(charges: readonly Charge[], texts: Readonly<Record<string, string>>): ChargeOverrides[] {
  const changed = structuredClone(charges) as Charge[];
  for (const [path, text] of Object.entries(texts)) write(changed, path.split("."), text.trim());
  return changed.flatMap(({ svc_id: id, properties, filters }, index) => {
    if (!Object.keys(texts).some((path) => path.startsWith(`${index}.`))) return [];
    return [
      {
        id,
        properties: properties as NonNullable<ChargeOverrides["properties"]>,
        filters: filters.map(({ values, properties: own, invoice_display_name }) => ({
          values,
          properties: own as NonNullable<ChargeOverrides["properties"]>,
          invoice_display_name,
        })),
      },
    ];
  });
}

function write(target: unknown, [name = "", ...rest]: readonly string[], text: string): void {
  const members = target as Record<string, unknown>;
  if (rest.length === 0) members[name] = text;
  else write(members[name], rest, text);
}
