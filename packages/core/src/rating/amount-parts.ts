/** The parts of an amount, for a document: exact, in major units, and complete. */
import { exactText, type Fraction, readExact } from "../money/index.ts";
import { type AmountDerivation, amountFrom } from "./derivation.ts";
import { paidUnits as unitsOfPackages } from "./package.ts";
import type { ProratedDerivation } from "./prorated.ts";
import type { TierUnits } from "./tiers.ts";

type Priced =
  /** Units of a tier, at a price per unit or at a percentage. */
  | { readonly kind: "tier"; readonly tier: TierUnits; readonly perUnit: string }
  | { readonly kind: "tier_share"; readonly tier: TierUnits; readonly rate: string }
  | { readonly kind: "flat" }
  | {
      readonly kind: "packages";
      readonly packages: string;
      readonly packageSize: string;
      readonly perPackage: string;
      readonly freeUnits: string;
      readonly paidUnits: string;
    }
  | { readonly kind: "share"; readonly units: string; readonly freeUnits: string; readonly rate: string }
  | { readonly kind: "per_event"; readonly events: string; readonly freeEvents: string; readonly perEvent: string }
  | { readonly kind: "limits" }
  /** Units weighed by the days they were in use. */
  | { readonly kind: "by_days"; readonly units: string; readonly perUnit: string }
  | { readonly kind: "change"; readonly units: string; readonly days: number; readonly periodDays: number };

export type AmountPart = Priced & { readonly amount: Fraction };

/**
 * Empty if units and unit price already explain the amount, or if the parts would not add up to it. This happens if an event is billed at
 * once (a difference), if a price is below zero (nothing), or if a plan change leaves only a part.
 */
export function amountParts(derivation: AmountDerivation): readonly AmountPart[] {
  const parts = partsOf(derivation).filter(({ kind, amount }) => isAlwaysShown(kind) || !amount.isZero());
  const total = parts.reduce((sum, { amount }) => sum.plus(amount), readExact("0"));
  return total.minus(amountFrom(derivation)).isZero() ? parts : [];
}

const isAlwaysShown = (kind: AmountPart["kind"]): boolean =>
  kind !== "flat" && kind !== "per_event" && kind !== "limits";

function partsOf(derivation: AmountDerivation): AmountPart[] {
  switch (derivation.model) {
    case "standard":
    case "in_advance":
    case "by_days":
    case "beyond_paid":
    case "less_days":
      return [];
    case "graduated":
      return derivation.tiers.flatMap(tierParts);
    case "volume":
      return derivation.tier === null ? [] : tierParts(derivation.tier);
    case "graduated_percentage":
      return derivation.tiers.flatMap(({ rate, flat, ...tier }) => [
        { kind: "tier_share", tier, rate, amount: share(readExact(tier.units), rate) },
        { kind: "flat", amount: readExact(flat) },
      ]);
    case "package": {
      const { units, freeUnits, packageSize, packages, perPackage } = derivation;
      const paidUnits = exactText(unitsOfPackages(readExact(units), BigInt(freeUnits)));
      const amount = readExact(packages).times(readExact(perPackage));
      return [{ kind: "packages", packages, packageSize, perPackage, freeUnits, paidUnits, amount }];
    }
    case "percentage": {
      const { units, freeUnits, rate, events, freeEvents, fixedAmount: perEvent, adjustment } = derivation;
      const paidUnits = readExact(units).minus(readExact(freeUnits));
      const paidEvents = String(BigInt(events) - BigInt(freeEvents));
      const fixed = readExact(paidEvents).times(readExact(perEvent));
      return [
        { kind: "share", units: exactText(paidUnits), freeUnits, rate, amount: share(paidUnits, rate) },
        { kind: "per_event", events: paidEvents, freeEvents, perEvent, amount: fixed },
        { kind: "limits", amount: readExact(adjustment) },
      ];
    }
    case "prorated_units":
    case "prorated_graduated":
      return proratedParts(derivation);
  }
}

const tierParts = ({ perUnit, flat, ...tier }: TierUnits & { perUnit: string; flat: string }): AmountPart[] => [
  { kind: "tier", tier, perUnit, amount: readExact(tier.units).times(readExact(perUnit)) },
  { kind: "flat", amount: readExact(flat) },
];

function proratedParts(derivation: ProratedDerivation): AmountPart[] {
  if (derivation.model === "prorated_units") {
    const { proratedUnits: units, perUnit, flat } = derivation;
    return [
      { kind: "by_days", units, perUnit, amount: readExact(units).times(readExact(perUnit)) },
      { kind: "flat", amount: readExact(flat) },
    ];
  }
  const { changes, flats, periodDays } = derivation;
  return [
    ...changes.map(({ units, days, before, after }) => {
      const amount = readExact(after).minus(readExact(before)).times(BigInt(days)).over(BigInt(periodDays));
      return { kind: "change" as const, units, days, periodDays, amount };
    }),
    ...flats.map((flat) => ({ kind: "flat" as const, amount: readExact(flat) })),
  ];
}

const share = (units: Fraction, rate: string): Fraction => units.times(readExact(rate)).over(100n);
