/** A fee of a bill as text that a finance person can check with a pocket calculator. */
import { explainFee, explainTrueUp } from "../rating/index.ts";
import { explainSubscriptionFee } from "../subscription/index.ts";
import { explainHeld, explainQuantity } from "../usage/index.ts";
import type { BillFeeDerivation } from "./bill-fee.ts";

/** The lines of a fee: of usage first how much it was, then what it costs. */
export function explainBillFee(derivation: BillFeeDerivation): string[] {
  switch (derivation.type) {
    case "subscription_fee":
      return explainSubscriptionFee(derivation);
    case "usage":
      return [...explainQuantity(derivation.quantity), ...explainFee(derivation.fee)];
    case "renewal":
      return [explainHeld(derivation.quantity), ...explainQuantity(derivation.quantity), ...explainFee(derivation.fee)];
    case "in_advance":
      return explainFee(derivation.fee);
    case "charge_minimum":
    case "commitment":
      return explainTrueUp(derivation);
  }
}
