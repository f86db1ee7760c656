// All kinds of cases that the oracle answers: wild, but such as the service accepts.

import type { AggregateCase } from "@tallystick/second-opinion/aggregate";
import type { PriceModel } from "@tallystick/second-opinion/pricing";
import type { ProratedCase } from "@tallystick/second-opinion/prorated";
import fc from "fast-check";
import { customerLifeCase, wholeInvoiceCase } from "./customer-cases.ts";
import type { InAdvanceCase } from "./in-advance.ts";
import { creditNotesCase, invoiceCase, minimumCase, subscriptionFeeCase, unusedCase } from "./invoice-cases.ts";
import { adjacentPriceCase, inAdvanceCaseOf, priceCaseOf, proratedCaseOf } from "./price-cases.ts";
import { ALL_ZONES, aggregateCaseOf, dayCaseIn, filterCase, periodCase } from "./usage-cases.ts";

export const PRICE_MODELS: readonly PriceModel[] = [
  "standard",
  "graduated",
  "volume",
  "package",
  "percentage",
  "graduated_percentage",
];
export const PRORATED_MODELS: readonly ProratedCase["model"][] = ["standard", "volume", "graduated"];
export const IN_ADVANCE_TYPES: readonly InAdvanceCase["type"][] = ["count", "sum", "unique_count"];
export const AGGREGATIONS: readonly Pick<AggregateCase, "type" | "recurring">[] = [
  ...(["count", "sum", "max", "latest", "unique_count", "weighted_sum"] as const).map((type) => ({
    type,
    recurring: false,
  })),
  ...(["sum", "unique_count", "weighted_sum"] as const).map((type) => ({ type, recurring: true })),
];

/** Through JSON and back, so that a case holds nothing that its text would not. */
const plain = <Case>(arbitrary: fc.Arbitrary<Case>): fc.Arbitrary<Case> =>
  arbitrary.map((c): Case => JSON.parse(JSON.stringify(c)));

/** By the name of the oracle that answers them; credit notes come as the notes of one invoice in turn. */
export const cases = {
  priceOf: (model: PriceModel) => plain(priceCaseOf(model)),
  price: plain(fc.oneof(...PRICE_MODELS.map(priceCaseOf))),
  adjacentPrice: plain(adjacentPriceCase),
  proratedOf: (model: ProratedCase["model"]) => plain(proratedCaseOf(model)),
  prorated: plain(fc.oneof(...PRORATED_MODELS.map(proratedCaseOf))),
  aggregateOf: (kind: Pick<AggregateCase, "type" | "recurring">) => plain(aggregateCaseOf(kind)),
  aggregate: plain(fc.oneof(...AGGREGATIONS.map(aggregateCaseOf))),
  inAdvanceOf: (type: InAdvanceCase["type"]) => plain(inAdvanceCaseOf(type)),
  inAdvance: plain(fc.oneof(...IN_ADVANCE_TYPES.map(inAdvanceCaseOf))),
  filter: plain(filterCase),
  invoice: plain(invoiceCase),
  creditNotes: plain(creditNotesCase),
  unused: plain(unusedCase),
  wholeInvoice: plain(wholeInvoiceCase),
  customerLife: plain(customerLifeCase),
  subscriptionFee: plain(subscriptionFeeCase),
  minimum: plain(minimumCase),
  commitment: plain(minimumCase),
  localDay: plain(dayCaseIn(...ALL_ZONES)),
  localDayIn: (timeZone: string) => plain(dayCaseIn(timeZone)),
  period: plain(periodCase),
};
