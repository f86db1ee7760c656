/** Measures the usage of an invoice's bills up to one snapshot. Many events take long, so nothing is locked meanwhile. */

import assert from "node:assert/strict";
import type { Plan } from "@tallystick/core/catalog";
import { type UsageQuery, usageOfBill } from "@tallystick/core/invoicing";
import { type Currency, currency } from "@tallystick/core/money";
import { ALONE } from "../../../platform/postgres/batch.ts";
import type { PriceList } from "../../catalogue/index.ts";
import { type Cut, type EventStore, type MeasuredUsage, readRequested, type UsageReader } from "../../usage/index.ts";
import type { LoadedBill } from "./load-billing.ts";

export type Measured = {
  cut: Cut;
  /** Identifies the measured bills and plan versions. Others may need other usage. */
  basis: string;
  /** By bill id. */
  usage: ReadonlyMap<string, { inArrears: MeasuredUsage; renewed: MeasuredUsage }>;
};

export async function measureBills(
  events: EventStore,
  organizationId: string,
  bills: readonly LoadedBill[],
): Promise<Measured> {
  return measureBillsAt({ events, barrier: ALONE }, organizationId, bills, await events.takeCut(organizationId));
}

/** The same result at any time, unless events were tampered with. */
export async function measureBillsAt(
  reader: UsageReader,
  organizationId: string,
  bills: readonly LoadedBill[],
  cut: Cut,
): Promise<Measured> {
  const usage = new Map<string, { inArrears: MeasuredUsage; renewed: MeasuredUsage }>();
  for (const loaded of bills) {
    const successor = loaded.successor && toCorePlan(loaded.successor);
    const { inArrears } = usageOfBill(loaded.bill, toCorePlan(loaded.priceList), successor);
    const { renewed } = usageOfBill(loaded.bill, toCorePlan(loaded.opening), successor);
    const scope = { externalSubscriptionId: loaded.externalId, historyFrom: loaded.firstStartedAt, cut };
    const read = (requested: readonly UsageQuery[]) => readRequested(reader, organizationId, scope, requested);
    usage.set(loaded.billId, { inArrears: await read(inArrears), renewed: await read(renewed) });
  }
  return { cut, basis: basisOf(bills), usage };
}

export function currencyOfBills(bills: readonly LoadedBill[]): Currency {
  const [first] = bills;
  assert(first, "an invoice of bills has one");
  return currency(first.priceList.plan.currency);
}

/** Equal as long as the measurement fits the bills. */
export const basisOf = (bills: readonly LoadedBill[]): string =>
  JSON.stringify(
    bills.map(({ billId, priceList, opening, successor }) => [
      billId,
      priceList.planId,
      priceList.version,
      opening.version,
      successor?.planId,
      successor?.version,
    ]),
  );

export const toCorePlan = ({ plan }: PriceList): Plan => ({
  ...plan,
  minimumCommitmentMinor: plan.minimumCommitment?.amountMinor ?? null,
});
