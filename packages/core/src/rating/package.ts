/** Package prices: whole packages are paid once the free units are used up. */
import type { PackagePricing } from "../catalog/index.ts";
import { ceilTo, exactText, type Fraction, fraction, greatest, NOTHING, readExact } from "../money/index.ts";
import type { PriceModel } from "./price-model.ts";
import { product } from "./words.ts";

export type PackageDerivation = {
  readonly model: "package";
  readonly units: string;
  readonly freeUnits: string;
  readonly packageSize: string;
  readonly packages: string;
  readonly perPackage: string;
};

/** 121 units, 10 of them free, in packages of 10 at 100: 111 paid units are 12 packages, 1200. */
export const packages: PriceModel<PackagePricing, PackageDerivation> = {
  price: ({ amount, freeUnits, packageSize }, { units }) => {
    const count = ceilTo(paidUnits(fraction(units), freeUnits).over(packageSize), 0);
    return {
      amount: fraction(amount).times(count),
      derivation: {
        model: "package",
        units: exactText(units),
        freeUnits: exactText(freeUnits),
        packageSize: exactText(packageSize),
        packages: exactText(count),
        perPackage: exactText(amount),
      },
    };
  },
  amountFrom: ({ packages: count, perPackage }) => readExact(count).times(readExact(perPackage)),
  explain: ({ units, freeUnits, packageSize, packages: count, perPackage }) => [
    `${units} units, ${freeUnits} free, in packages of ${packageSize}: ${product(count, perPackage)}`,
  ],
  details: ({ units, freeUnits, packageSize, perPackage }) => ({
    free_units: freeUnits,
    paid_units: exactText(paidUnits(readExact(units), BigInt(freeUnits))),
    per_package_size: Number(packageSize),
    per_package_unit_amount: perPackage,
  }),
};

/** Units beyond the free ones. */
export const paidUnits = (units: Fraction, freeUnits: bigint): Fraction => greatest(units.minus(freeUnits), NOTHING);
