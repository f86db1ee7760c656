/** Percentage prices: a share of the value of events, with allowances, a fixed amount and limits per event. */
import type { PercentagePricing } from "../catalog/index.ts";
import { exactText, fraction, readableText, readExact } from "../money/index.ts";
import {
  addToTally,
  EMPTY_TALLY,
  looksAtEvents,
  type PercentageDerivation,
  priceOfTally,
  tallyOfSum,
} from "./percentage-tally.ts";
import type { PriceModel } from "./price-model.ts";

/** 50, 100, 250 and 400 at 1.3 % + 2, 250 of them and 2 events free, cost 7.15 + 4. */
export const percentage: PriceModel<PercentagePricing, PercentageDerivation> = {
  price: (pricing, { units, eventsCount, values }) => {
    if (!looksAtEvents(pricing)) return priceOfTally(pricing, tallyOfSum(units, eventsCount));
    let tally = EMPTY_TALLY;
    for (const value of values) tally = addToTally(pricing, tally, value);
    return priceOfTally(pricing, tally);
  },
  amountFrom: (derivation) => {
    const { share, fixed } = partsOf(derivation);
    return share.plus(fixed).plus(readExact(derivation.adjustment));
  },
  explain: (derivation) => {
    const { units, freeUnits, events, freeEvents, rate, fixedAmount } = derivation;
    const { paidUnits, paidEvents, share, fixed } = partsOf(derivation);
    const adjustment = readExact(derivation.adjustment);
    const sign = adjustment.isAbove(0n) ? "+" : "";
    return [
      `${units} less ${freeUnits} free: ${readableText(paidUnits)} × ${rate} % = ${readableText(share)}`,
      ...(fixed.isZero()
        ? []
        : [`${events} events less ${freeEvents} free: ${paidEvents} × ${fixedAmount} = ${readableText(fixed)}`]),
      ...(adjustment.isZero() ? [] : [`limits per transaction: ${sign}${readableText(adjustment)}`]),
    ];
  },
  details: (derivation) => {
    const { paidUnits, paidEvents, share, fixed } = partsOf(derivation);
    return {
      units: derivation.units,
      free_units: derivation.freeUnits,
      paid_units: exactText(paidUnits),
      free_events: Number(derivation.freeEvents),
      paid_events: Number(paidEvents),
      rate: derivation.rate,
      per_unit_total_amount: exactText(share),
      fixed_fee_unit_amount: derivation.fixedAmount,
      fixed_fee_total_amount: exactText(fixed),
      min_max_adjustment_total_amount: derivation.adjustment,
    };
  },
};

/** The share of the paid units, and the fixed amounts of the paid events. */
function partsOf({ units, events, freeUnits, freeEvents, rate, fixedAmount }: PercentageDerivation) {
  const paidUnits = readExact(units).minus(readExact(freeUnits));
  const paidEvents = BigInt(events) - BigInt(freeEvents);
  return {
    paidUnits,
    paidEvents,
    share: paidUnits.times(readExact(rate)).over(100n),
    fixed: fraction(paidEvents).times(readExact(fixedAmount)),
  };
}
