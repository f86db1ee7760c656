/** Package prices: whole packages are paid once the free units are used up. */
import type { PackagePricing } from "../catalog/index.ts";
import { ceilTo, type Decimal, exactText, fraction, greatest, NOTHING } from "../money/index.ts";
import type { PricingDerivation } from "./derivation.ts";
import type { Priced } from "./priced.ts";

/** 121 units, 10 of them free, in packages of 10 at 100: 111 paid units are 12 packages, 1200. */
export function ratePackage(
  { amount, freeUnits, packageSize }: PackagePricing,
  units: Decimal,
): Priced<PricingDerivation> {
  const paid = greatest(fraction(units).minus(freeUnits), NOTHING);
  const packages = ceilTo(paid.over(packageSize), 0);
  return {
    amount: fraction(amount).times(packages),
    derivation: {
      model: "package",
      units: exactText(units),
      freeUnits: exactText(freeUnits),
      packageSize: exactText(packageSize),
      packages: exactText(packages),
      perPackage: exactText(amount),
    },
  };
}
