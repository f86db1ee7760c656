/** An exact amount in major units with its derivation: what every charge model answers. */
import type { Fraction } from "../money/index.ts";
import type { AmountDerivation } from "./derivation.ts";

export type Priced<Derivation extends AmountDerivation = AmountDerivation> = {
  readonly amount: Fraction;
  readonly derivation: Derivation;
};
