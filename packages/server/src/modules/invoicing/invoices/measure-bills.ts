/** Measures the usage of an invoice's bills up to one snapshot. Many events take long, so nothing is locked meanwhile. */

import assert from "node:assert/strict";
import type { Charge, Plan } from "@tallystick/core/catalog";
import { type PaidWindow, type UsageQuery, usageOfBill } from "@tallystick/core/invoicing";
import { type Currency, currency } from "@tallystick/core/money";
import type { Accepted } from "@tallystick/core/subscription";
import { type PaidUnits, paidUnits, settleAt, type UsageWindow } from "@tallystick/core/usage";
import { ALONE, type Barrier } from "../../../platform/postgres/batch.ts";
import type { PriceList } from "../../catalogue/index.ts";
import { type Cut, type EventStore, isUpTo, type MeasuredCharge, toCut } from "../../usage/index.ts";
import type { LoadedBill } from "./load-billing.ts";

export type MeasuredUsage = readonly (MeasuredCharge & {
  charge: Charge;
  window: UsageWindow;
  /** Counted events at the exact end of the window. */
  upTo?: Accepted;
  /** Units paid in advance, if the bill needs them. */
  paid?: readonly PaidUnits[];
})[];

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

/** Usage is read together with that of the other pieces of work at the barrier. */
export type UsageReader = { readonly events: EventStore; readonly barrier: Barrier };

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
    const read = (requested: readonly UsageQuery[]) =>
      readRequested(reader, organizationId, { loaded, cut }, requested);
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

/** Reads charges of one window together. */
async function readRequested(
  { events, barrier }: UsageReader,
  organizationId: string,
  { loaded, cut }: { loaded: LoadedBill; cut: Cut },
  target: readonly UsageQuery[],
): Promise<MeasuredUsage> {
  const scopeOf = (window: UsageWindow, upTo: Accepted | undefined) => ({
    externalSubscriptionId: loaded.externalId,
    window,
    historyFrom: loaded.firstStartedAt,
    cut,
    atEnd: toCut(upTo),
  });
  const readPaid = async (charge: Charge, paid: PaidWindow): Promise<PaidUnits[]> => {
    const [accepted = []] = await events.readAccepted(barrier, organizationId, scopeOf(paid, paid.upTo), [charge]);
    const settled = settleAt(accepted, paid.from, isUpTo(paid.after));
    return paidUnits(charge, settleAt(settled, paid.to, isUpTo(paid.upTo)), paid);
  };
  const measured = new Map<string, MeasuredUsage[number]>();
  for (const together of Map.groupBy(target, ({ window, upTo }) => JSON.stringify([window, upTo])).values()) {
    const [first] = together;
    assert(first, "a group has a member");
    const charges = together.map(({ charge }) => charge);
    const used = await events.readUsage(barrier, organizationId, scopeOf(first.window, first.upTo), charges);
    for (const [index, { charge, window, upTo, paid }] of together.entries()) {
      const read = used[index] ?? { buckets: [], eventsSeen: 0n };
      const paidFor = paid ? { paid: await readPaid(charge, paid) } : {};
      measured.set(charge.id, { charge, window, ...(upTo ? { upTo } : {}), ...read, ...paidFor });
    }
  }
  return target.flatMap(({ charge }) => measured.get(charge.id) ?? []);
}
