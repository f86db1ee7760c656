/** Prices the fees of one event from the tally of its filter and group, and updates that tally. */
import assert from "node:assert/strict";
import { decimal } from "@tallystick/core/money";
import {
  type BucketFee,
  billNext,
  chargedAtStart,
  countedValue,
  type InAdvanceTally,
  inAdvanceTerms,
} from "@tallystick/core/rating";
import { filterFor, groupOf, startInAdvance } from "@tallystick/core/usage";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { StoredCharge } from "../../catalogue/index.ts";
import type { EventBilling } from "./look-up.ts";
import { digestOf } from "./open-charges.ts";
import { countFee, dropValue, isValueInUse, lockTally, putTally, replaceValues, useValue } from "./store.ts";

export type PricedEvent = {
  charge: StoredCharge;
  fee: BucketFee;
  /** The totals before the event. */
  before: InAdvanceTally;
  /** For a unique count: whether its value was in use. */
  wasActive: boolean;
};

/** Returns one fee for each charge. */
export async function priceEvent(tx: Tx, organizationId: string, billing: EventBilling): Promise<PricedEvent[]> {
  const priced: PricedEvent[] = [];
  for (const charge of billing.charges) priced.push(await priceFor(tx, organizationId, billing, charge));
  return priced;
}

async function priceFor(
  tx: Tx,
  organizationId: string,
  { usage, subscription, priceList }: EventBilling,
  charge: StoredCharge,
): Promise<PricedEvent> {
  const { window } = subscription;
  const filter = filterFor(charge, usage);
  const group = groupOf((filter?.price ?? charge.price).groupedBy, usage);
  const terms = inAdvanceTerms(charge, filter, { window, currency: priceList.plan.currency });
  const of = { subscriptionId: subscription.id, chargeId: charge.id, from: window.from };
  const key = { ...of, filterId: filter?.id ?? null, group, planVersion: priceList.version };
  const found = await lockTally(tx, organizationId, key);
  const value = countedValue(terms.aggregation, usage);
  const digest = value === null ? null : digestOf(value);
  const { id: tallyId, tally: before } = found ?? (await putTally(tx, organizationId, key, nothingYet(terms.pricing)));
  if (!found && digest) await replaceValues(tx, organizationId, { tallyId, digests: [] });
  const wasActive = digest !== null && (await isValueInUse(tx, organizationId, { tallyId, digest }));
  const next = billNext(terms, before, usage, wasActive);
  assert(next, "only what is counted comes here");
  await countFee(tx, organizationId, { id: tallyId, tally: next.tally });
  if (digest) await (next.isActive ? useValue : dropValue)(tx, organizationId, { tallyId, digest });
  return { charge, fee: { filterId: key.filterId, group, ...next.fee }, before, wasActive };
}

const nothingYet = (pricing: Parameters<typeof chargedAtStart>[0]): InAdvanceTally => ({
  usage: startInAdvance(decimal("0")),
  soFar: chargedAtStart(pricing, decimal("0")),
});
