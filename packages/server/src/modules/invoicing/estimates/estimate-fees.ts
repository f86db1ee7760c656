/** Estimates the cost of an event that arrives now, with the same steps as its fee. Stores nothing. */
import type { Aggregation } from "@tallystick/core/catalog";
import { type FeeTaxes, feeTaxes, taxesFor } from "@tallystick/core/invoicing";
import { fraction } from "@tallystick/core/money";
import { type BucketFee, billNext } from "@tallystick/core/rating";
import { acceptedBeforeWindow } from "@tallystick/core/subscription";
import { isCounted, type UsageEvent } from "@tallystick/core/usage";
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { billableMetricErrors, findMetricsByCode, type StoredCharge, toCoreMetric } from "../../catalogue/index.ts";
import {
  type EventStore,
  loadByExternalId,
  type Subscribed,
  takeScope,
  toCustomerTaxes,
  toFeeItem,
  usageErrors,
} from "../../usage/index.ts";
import { ADVANCE_FEES, loadTally } from "../advance-fees/index.ts";
import { findLeftOut } from "../parked-items/index.ts";

/** Properties as canonical texts. */
export type SentEvent = {
  externalSubscriptionId: string;
  code: string;
  properties: Readonly<Record<string, string>>;
};

export type Estimate = {
  subscribed: Subscribed;
  event: UsageEvent;
  charges: readonly StoredCharge[];
  /** Earlier events that create no fee, or not yet. */
  leftOut: ReadonlySet<bigint>;
};
export type EstimatedFee = { charge: StoredCharge; fee: BucketFee; taxes: FeeTaxes };

/** Higher than every accepted position. */
const NEXT_POSITION = 2n ** 160n;

export async function loadEstimate(tx: Tx, organizationId: string, sent: SentEvent, clock: Clock): Promise<Estimate> {
  const { externalSubscriptionId, code, properties } = sent;
  const subscribed = await loadByExternalId(tx, organizationId, externalSubscriptionId, clock);
  const [metric] = await findMetricsByCode(tx, organizationId, [code]);
  if (!metric) throw billableMetricErrors.problem("billable_metric_not_found", [code]);
  const { aggregation } = toCoreMetric(metric);
  if (needsNumber(aggregation) && !isCounted(aggregation, { properties }))
    throw usageErrors.invalid("properties", "value_is_not_valid_number");
  const charges = subscribed.priceList.plan.charges.filter(
    ({ metricId, timing }) => metricId === metric.id && timing.type === "in_advance",
  );
  if (charges.length === 0) throw usageErrors.invalid("code", "does_not_match_an_instant_charge");
  const leftOut = await findLeftOut(tx, organizationId, {
    source: ADVANCE_FEES,
    subscription: externalSubscriptionId,
  });
  return { subscribed, event: { at: subscribed.now, position: NEXT_POSITION, properties }, charges, leftOut };
}

const needsNumber = ({ type }: Aggregation): boolean => type === "sum" || type === "max" || type === "latest";

/** One fee per charge; none if the event lacks the value of a unique count, as with a real event. */
export async function estimateFees(
  events: EventStore,
  { subscribed, event, charges, leftOut }: Estimate,
): Promise<EstimatedFee[]> {
  const { organizationId, priceList } = subscribed;
  const scope = await takeScope(events, subscribed);
  const estimated: EstimatedFee[] = [];
  for (const charge of charges) {
    const acceptedBefore = acceptedBeforeWindow(subscribed.subscription.active, scope.window);
    const requested = { charge, currency: priceList.plan.currency, scope, leftOut, ended: null, acceptedBefore };
    const { filter, group, terms, tally, wasActive } = await loadTally(events, organizationId, requested, event);
    const next = billNext(terms, tally, event, wasActive);
    if (next === null) continue;
    const base = fraction(next.fee.amountMinor);
    const taxes = feeTaxes({ base, taxes: taxesFor(toFeeItem(subscribed, charge), toCustomerTaxes(subscribed)) });
    estimated.push({ charge, fee: { filterId: filter?.id ?? null, group, ...next.fee }, taxes });
  }
  return estimated;
}
