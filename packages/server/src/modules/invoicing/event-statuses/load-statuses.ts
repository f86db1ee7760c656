/** The statuses of a page of events, in a constant number of queries. */
import assert from "node:assert/strict";
import type { Metric } from "@tallystick/core/catalog";
import {
  type EventFacts,
  type EventFault,
  type EventFee,
  type EventStatus,
  faultsOfEvent,
  feeKeyOf,
  type Life,
  livingAt,
  statusOfEvent,
} from "@tallystick/core/invoicing";
import { isCounted, lacksDimension, type UsageEvent } from "@tallystick/core/usage";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findMetricsByCode, fromTerms, toCoreMetric } from "../../catalogue/index.ts";
import type { StatusEvent } from "../../events/index.ts";
import { toStoredKey } from "../fees/index.ts";
import { loadLives, type PlacedLife } from "./load-lives.ts";
import {
  findAdvanceFees,
  findCharges,
  findFeesByKeys,
  findHolders,
  findLookedAt,
  findParkedEvents,
  findRemoved,
  type HeldRow,
} from "./store.ts";

type Found = {
  event: StatusEvent;
  metric: { id: string; aggregation: NonNullable<EventFacts["aggregation"]>; filters: Metric["filters"] } | null;
  holder: HeldRow;
};

/** In the order of the events. */
export const loadEventStatuses = async (
  tx: Tx,
  organizationId: string,
  events: readonly StatusEvent[],
): Promise<EventStatus[]> => (await judgeEvents(tx, organizationId, events)).map(({ status }) => status);

/** The faults of events, by the same decision as their statuses, in the order of the events. */
export const loadEventFaults = async (
  tx: Tx,
  organizationId: string,
  events: readonly StatusEvent[],
): Promise<EventFault[][]> => (await judgeEvents(tx, organizationId, events)).map(({ faults }) => faults);

type Judged = { status: EventStatus; faults: EventFault[] };

async function judgeEvents(tx: Tx, organizationId: string, events: readonly StatusEvent[]): Promise<Judged[]> {
  if (events.length === 0) return [];
  const found = await findMetricsAndHolders(tx, organizationId, events);
  const ids = events.map(({ id }) => id);
  const advanceFees = Map.groupBy(await findAdvanceFees(tx, organizationId, ids), ({ event_id }) => event_id);
  const parked = new Map(
    (await findParkedEvents(tx, organizationId, ids)).map(({ event_id, status }) => [event_id, status] as const),
  );
  const fees = await loadFeesOfHolders(tx, organizationId, found);
  const lookedAt = await findLookedAt(tx, organizationId);
  const lives = await loadLives(
    tx,
    organizationId,
    found.map(({ event, metric }) => ({ externalId: event.externalSubscriptionId, metricId: metric?.id ?? null })),
  );
  const facts = found.map(({ event, metric, holder }, number): EventFacts & { lives: readonly PlacedLife[] } => ({
    at: event.at,
    aggregation: metric?.aggregation ?? null,
    isCounted: metric !== null && isCounted(metric.aggregation, toUsageEvent(event)),
    advanceFees: advanceFees.get(event.id) ?? [],
    wasLookedAt: event.position <= (lookedAt[event.shard] ?? -1n),
    parked: parked.get(event.id) ?? null,
    heldBy: toHolder(event, holder, fees.get(number) ?? []),
    wasMissed: holder.held === null && holder.is_in_window,
    lives: lives[number] ?? [],
  }));
  const statuses = await decide(tx, organizationId, found, facts);
  return found.map(({ event, metric, holder }, number) => {
    const [known, status] = [facts[number], statuses[number]];
    assert(known && status, "every event has a status");
    // If the window was already read, with the filters at that time.
    const filters = holder.held?.metric.filters ?? metric?.filters ?? [];
    const lacks = lacksDimension(filters, toUsageEvent(event));
    return { status, faults: faultsOfEvent({ ...known, lacksDimension: lacks }, status) };
  });
}

/** Removed charges are looked up only for the few events without a charge. */
async function decide(
  tx: Tx,
  organizationId: string,
  found: readonly Found[],
  facts: readonly (EventFacts & { lives: readonly PlacedLife[] })[],
): Promise<EventStatus[]> {
  const statuses = facts.map(statusOfEvent);
  const missing = statuses.flatMap((status, number) => {
    const { at, lives } = facts[number] ?? { at: undefined, lives: [] };
    const metricId = found[number]?.metric?.id;
    if (status.status !== "not_billed" || status.reason !== "no_charge" || !at || !metricId) return [];
    const life = livingAt(lives, at);
    return life ? [{ number, life, subscriptionId: life.id, planId: life.planId, metricId, at }] : [];
  });
  if (missing.length === 0) return statuses;
  for (const index of await findRemoved(tx, organizationId, missing)) {
    const removed = missing[index];
    const known = removed && facts[removed.number];
    assert(removed && known, "only requested charges were found");
    const lives = known.lives.map(
      (life): Life => (life === removed.life ? { ...life, charges: { ...life.charges, wasRemoved: true } } : life),
    );
    statuses[removed.number] = statusOfEvent({ ...known, lives });
  }
  return statuses;
}

async function findMetricsAndHolders(
  tx: Tx,
  organizationId: string,
  events: readonly StatusEvent[],
): Promise<readonly Found[]> {
  const rows = await findMetricsByCode(tx, organizationId, [...new Set(events.map(({ code }) => code))]);
  const metrics = new Map(rows.map((row) => [row.code, { id: row.id, ...toCoreMetric(row) }] as const));
  const holders = new Map((await findHolders(tx, organizationId, events)).map((row) => [row.number, row]));
  return events.map((event, number) => {
    const holder = holders.get(number);
    assert(holder, "every event has a result");
    return { event, metric: metrics.get(event.code) ?? null, holder };
  });
}

/** The fees of each event's window that include it, by event number, found by their keys. */
async function loadFeesOfHolders(
  tx: Tx,
  organizationId: string,
  found: readonly Found[],
): Promise<ReadonlyMap<number, readonly EventFee[]>> {
  const withHeld = found.flatMap(({ event, holder: { held, number } }) => (held ? [{ event, held, number }] : []));
  if (withHeld.length === 0) return new Map();
  const versions = [...new Map(withHeld.map(({ held }) => [versionKey(held), held])).values()];
  const requested = versions.map(({ plan_id, plan_version, metric_id }) => ({
    planId: plan_id,
    version: plan_version,
    metricId: metric_id,
  }));
  const charges = new Map(
    (await findCharges(tx, organizationId, requested)).map(({ number, terms }) => {
      const version = versions[number];
      assert(version, "only requested versions were found");
      const metrics = new Map([[version.metric_id, { code: "", ...version.metric }]]);
      const taxes = { planId: version.plan_id, commitmentId: undefined, codesOf: new Map() };
      return [versionKey(version), fromTerms(terms, taxes, metrics).charges];
    }),
  );
  const keys = withHeld.flatMap(({ event, held, number }) =>
    (charges.get(versionKey(held)) ?? []).map((charge) => ({
      number,
      billId: held.bill_id,
      feeKey: toStoredKey(feeKeyOf(charge, toUsageEvent(event))),
    })),
  );
  const fees = new Map(
    (await findFeesByKeys(tx, organizationId, keys)).map((fee) => [`${fee.bill_id} ${fee.fee_key}`, fee]),
  );
  return new Map(
    [...Map.groupBy(keys, ({ number }) => number)].map(([number, own]) => [
      number,
      own.flatMap(({ billId, feeKey }) => fees.get(`${billId} ${feeKey}`) ?? []),
    ]),
  );
}

/** Two invoices by one plan version can still have different metric filters. */
const versionKey = ({ plan_id, plan_version, metric_id, metric }: NonNullable<HeldRow["held"]>): string =>
  JSON.stringify([plan_id, plan_version, metric_id, metric.filters]);

function toHolder(event: StatusEvent, { held }: HeldRow, fees: readonly EventFee[]): EventFacts["heldBy"] {
  if (held === null) return null;
  return { invoice: held.invoice_status, isCounted: isCounted(held.metric.aggregation, toUsageEvent(event)), fees };
}

const toUsageEvent = ({ at, position, texts }: StatusEvent): UsageEvent => ({ at, position, properties: texts });
