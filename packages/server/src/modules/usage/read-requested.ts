/** Reads the usage that core requests for charges, over the window of each. */
import assert from "node:assert/strict";
import type { Charge } from "@tallystick/core/catalog";
import type { PaidWindow, UsageQuery } from "@tallystick/core/invoicing";
import type { Accepted } from "@tallystick/core/subscription";
import { type PaidUnits, paidUnits, settleAt, type UsageWindow } from "@tallystick/core/usage";
import type { Barrier } from "../../platform/postgres/batch.ts";
import { isUpTo, toCut } from "./acceptance.ts";
import type { EventStore, MeasuredCharge, UsageScope } from "./event-store.ts";

export type MeasuredUsage = readonly (MeasuredCharge & {
  charge: Charge;
  window: UsageWindow;
  /** Counted events at the exact end of the window. */
  upTo?: Accepted;
  /** Units paid in advance, if the price needs them. */
  paid?: readonly PaidUnits[];
})[];

/** Usage is read together with that of the other pieces of work at the barrier. */
export type UsageReader = { readonly events: EventStore; readonly barrier: Barrier };

/** In the order of the requests; charges of one window are read together. */
export async function readRequested(
  { events, barrier }: UsageReader,
  organizationId: string,
  subscription: Pick<UsageScope, "externalSubscriptionId" | "historyFrom" | "cut">,
  requested: readonly UsageQuery[],
): Promise<MeasuredUsage> {
  const scopeOf = (window: UsageWindow, upTo: Accepted | undefined) => ({
    ...subscription,
    window,
    atEnd: toCut(upTo),
  });
  const readPaid = async (charge: Charge, paid: PaidWindow): Promise<PaidUnits[]> => {
    const [accepted = []] = await events.readAccepted(barrier, organizationId, scopeOf(paid, paid.upTo), [charge]);
    const settled = settleAt(accepted, paid.from, isUpTo(paid.after));
    return paidUnits(charge, settleAt(settled, paid.to, isUpTo(paid.upTo)), paid);
  };
  const measured = new Map<string, MeasuredUsage[number]>();
  for (const together of Map.groupBy(requested, ({ window, upTo }) => JSON.stringify([window, upTo])).values()) {
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
  return requested.flatMap(({ charge }) => measured.get(charge.id) ?? []);
}
