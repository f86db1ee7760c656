/** The subscriptions that events name, with their plans' charges on the metrics of the events. */
import type { Life } from "@tallystick/core/invoicing";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findCharges, findLives, findUnfinished, type LifeRow } from "./store.ts";

export type PlacedLife = Life & { id: string; planId: string };

/** The external subscription id of an event, and the metric of its code; null: the code has no metric. */
type Request = { externalId: string; metricId: string | null };

/** One result for each request, in their order. */
export async function loadLives(tx: Tx, organizationId: string, requests: readonly Request[]): Promise<PlacedLife[][]> {
  const rows = await findLives(tx, organizationId, [...new Set(requests.map(({ externalId }) => externalId))]);
  const ofExternalId = Map.groupBy(rows, ({ external_id }) => external_id);
  const customerIds = [...new Set(rows.map(({ customer_id }) => customer_id))];
  const unfinished = Map.groupBy(
    rows.length > 0 ? await findUnfinished(tx, organizationId, customerIds) : [],
    ({ subscription_id }) => subscription_id,
  );
  const spansOf = (id: string, wasSkipped: boolean) =>
    (unfinished.get(id) ?? [])
      .filter(({ was_skipped }) => was_skipped === wasSkipped)
      .map(({ charges_from: from, charges_to: to }) => ({ from, to }));
  const charges = await loadChargesNow(tx, organizationId, requests, ofExternalId);
  return requests.map(({ externalId, metricId }) => {
    const own = ofExternalId.get(externalId) ?? [];
    return own.map((row) => ({
      id: row.id,
      planId: row.plan_id,
      beginsAt: row.begins_at,
      endsAt: row.terminated_at,
      historyFrom: historyOf(row, own),
      periods:
        row.first_period_from && row.open_period_from
          ? { firstFrom: row.first_period_from, openFrom: row.open_period_from }
          : null,
      unfinished: spansOf(row.id, false),
      skipped: spansOf(row.id, true),
      skippedAtEnd:
        row.is_end_skipped && row.open_period_from && row.terminated_at
          ? { from: row.open_period_from, to: row.terminated_at }
          : null,
      charges: { ...(charges.get(keyOf(row.plan_id, metricId)) ?? NO_CHARGES), wasRemoved: false },
    }));
  });
}

const NO_CHARGES = { inArrears: false, inAdvance: false };

/** A pending subscription inherits the history of the customer's other subscriptions with its external id. */
function historyOf(row: LifeRow, all: readonly LifeRow[]): Temporal.Instant {
  const starts = all
    .filter(({ customer_id }) => customer_id === row.customer_id)
    .map(({ first_started_at, begins_at }) => first_started_at ?? begins_at)
    .toSorted(Temporal.Instant.compare);
  return row.first_started_at ?? starts[0] ?? row.begins_at;
}

async function loadChargesNow(
  tx: Tx,
  organizationId: string,
  inputs: readonly Request[],
  ofExternalId: ReadonlyMap<string, readonly LifeRow[]>,
): Promise<ReadonlyMap<string, typeof NO_CHARGES>> {
  const pairs = inputs.flatMap(({ externalId, metricId }) =>
    (ofExternalId.get(externalId) ?? []).flatMap(({ plan_id: planId }) =>
      metricId === null ? [] : [{ planId, version: null, metricId }],
    ),
  );
  const requested = [...new Map(pairs.map((pair) => [keyOf(pair.planId, pair.metricId), pair])).values()];
  if (requested.length === 0) return new Map();
  const found = await findCharges(tx, organizationId, requested);
  return new Map(
    found.flatMap(({ number, terms: { charges } }) => {
      const pair = requested[number];
      const inAdvance = charges.some(({ pay_in_advance }) => pay_in_advance);
      const inArrears = charges.some(({ pay_in_advance }) => !pay_in_advance);
      return pair ? [[keyOf(pair.planId, pair.metricId), { inArrears, inAdvance }] as const] : [];
    }),
  );
}

const keyOf = (planId: string, metricId: string | null): string => `${planId} ${metricId}`;
