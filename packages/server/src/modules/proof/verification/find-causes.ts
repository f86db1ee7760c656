/** Finds why a recomputed invoice differs: which of its inputs changed. */
import { allowLongStatements, inSnapshot, type Tx } from "../../../platform/postgres/database.ts";
import { findPlansById } from "../../catalogue/index.ts";
import { digestBody, digestEvent, microsecondsOf } from "../../events/index.ts";
import type { VerifyDeps } from "./rebuild.ts";
import type { OtherUsage } from "./remake-bills.ts";
import type { Difference } from "./shown-invoice.ts";
import { type EventRow, type EventScope, findVanished, pageOfEvents } from "./store.ts";
import type { MadeBy } from "./stored-inputs.ts";

export const CAUSES = [
  "event_added",
  "event_missing",
  "event_changed",
  "plan_version",
  "zone_data",
  "engine",
  "inputs_changed",
  "result_changed",
] as const;

export type Cause = {
  cause: (typeof CAUSES)[number];
  /** Text for people. */
  message: string;
  /** Events that the cause names, if it can. */
  transactionIds: readonly string[];
};

const cause = (name: Cause["cause"], message: string, transactionIds: readonly string[] = []): Cause => ({
  cause: name,
  message,
  transactionIds,
});

const NAMED_MAX = 20;
const PAGE = 5_000;
/** A window with more events than this is not searched for single events. */
const LOOKED_AT_MAX = 1_000_000;
/** No index finds deleted events, so the search runs only if something differs, and with this time limit. */
const LOOKING_MS = 60_000;

type Altered = Record<"event_added" | "event_missing" | "event_changed", string[]>;
type Other = OtherUsage & { scope: EventScope };

/** Counts and digests show that events differ; the digests of accepted events show which ones. */
export async function causesOfUsage(
  deps: VerifyDeps,
  organizationId: string,
  others: readonly Other[],
): Promise<Cause[]> {
  const causes: Cause[] = [];
  for (const [first, ...rest] of Map.groupBy(others, ({ scope }) => JSON.stringify(scope)).values()) {
    if (!first) continue;
    const same = [first, ...rest];
    const kinds = new Set(same.map(kindOf));
    const altered = await findAltered(deps, organizationId, { scope: first.scope, kinds });
    for (const other of same) causes.push(cause(kindOf(other), inWords(other), altered[kindOf(other)]));
    causes.push(...unsaid(altered, kinds));
  }
  return merged(causes);
}

function inWords({ was, is }: OtherUsage): string {
  const counted = `charge ${(is ?? was)?.chargeId} counted ${was?.events ?? 0} events of ${was?.units ?? 0} units`;
  return `${counted} and now counts ${is?.events ?? 0} of ${is?.units ?? 0}`;
}

function kindOf({ was, is }: OtherUsage): keyof Altered {
  const more = BigInt(is?.events ?? 0) - BigInt(was?.events ?? 0);
  if (more > 0n) return "event_added";
  return more < 0n ? "event_missing" : "event_changed";
}

/**
 * Counts of events alone can mislead. An event that moved to another filter looks missing in one and
 * extra in the other, but it was changed. An event that replaced another looks like a changed event.
 */
function unsaid(altered: Altered, said: ReadonlySet<keyof Altered>): Cause[] {
  const isNamed = [...said].some((name) => altered[name].length > 0);
  const requested = isNamed
    ? (["event_changed"] as const)
    : (["event_added", "event_missing", "event_changed"] as const);
  return requested.flatMap((name) =>
    said.has(name) || altered[name].length === 0
      ? []
      : [cause(name, "events are not what was accepted", altered[name])],
  );
}

/** Lists each cause once, with all its messages and events. */
const merged = (causes: readonly Cause[]): Cause[] =>
  [...Map.groupBy(causes, ({ cause: name }) => name)].map(([name, same]) =>
    cause(
      name,
      [...new Set(same.map(({ message }) => message))].slice(0, NAMED_MAX).join("; "),
      [...new Set(same.flatMap(({ transactionIds }) => transactionIds))].slice(0, NAMED_MAX),
    ),
  );

const findAltered = (
  { db }: VerifyDeps,
  organizationId: string,
  { scope, kinds }: { scope: EventScope; kinds: ReadonlySet<keyof Altered> },
): Promise<Altered> =>
  inSnapshot(db, organizationId, async (tx) => {
    await allowLongStatements(tx, LOOKING_MS);
    const altered: Altered = { event_added: [], event_missing: [], event_changed: [] };
    for await (const event of eventsOf(tx, organizationId, scope)) {
      if (event.body_digest === null) altered.event_added.push(event.transaction_id);
      else if (isChanged(organizationId, event)) altered.event_changed.push(event.transaction_id);
    }
    if (kinds.has("event_missing") || altered.event_added.length > 0)
      altered.event_missing = await findVanished(tx, organizationId, scope, NAMED_MAX);
    return altered;
  });

async function* eventsOf(tx: Tx, organizationId: string, scope: EventScope): AsyncGenerator<EventRow> {
  let after: EventRow | null = null;
  for (let seen = 0; seen < LOOKED_AT_MAX; seen += PAGE) {
    const page: EventRow[] = await pageOfEvents(tx, organizationId, scope, { after, size: PAGE });
    yield* page;
    after = page.at(-1) ?? null;
    if (page.length < PAGE) return;
  }
}

/** Its body differs from the accepted body, or its digest does not match identity, time and body. */
export function isChanged(organizationId: string, event: EventRow): boolean {
  const canonical = Object.entries(event.texts ?? {})
    .filter((entry): entry is [string, string] => entry[1] !== null)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flat();
  const bodyDigest = digestBody(event.code, canonical);
  const identity = {
    externalSubscriptionId: event.external_subscription_id,
    transactionId: event.transaction_id,
    bodyDigest,
  };
  const digest = digestEvent(organizationId, identity, microsecondsOf(event.timestamp));
  return bodyDigest !== event.body_digest || BigInt(`0x${digest}`) !== BigInt(event.digest);
}

const VERSIONS_MAX = 20;

/** Finds another version of the plan, newest first, that yields the stored invoice. */
export async function causeInVersions(
  { db }: VerifyDeps,
  organizationId: string,
  plan: { planId: string; planVersion: number },
  isSameWith: (version: number) => Promise<boolean>,
): Promise<Cause[]> {
  const [row] = await inSnapshot(db, organizationId, (tx) => findPlansById(tx, organizationId, [plan.planId]));
  const newest = row?.version ?? 0;
  for (let version = newest; version > Math.max(0, newest - VERSIONS_MAX); version--) {
    if (version === plan.planVersion || !(await isSameWith(version))) continue;
    const message = `plan ${plan.planId} in version ${version} gives the stored result; its version ${plan.planVersion} does not`;
    return [cause("plan_version", message)];
  }
  return [];
}

/** If no input differs, another engine may have computed the invoice. Otherwise inputs or results were overwritten. */
export function causesOfRest({ engine }: VerifyDeps, made: MadeBy, differences: readonly Difference[]): Cause[] {
  const causes: Cause[] = [];
  if (made.zoneDataVersion !== engine.zoneData)
    causes.push(
      cause("zone_data", `computed with zone data ${made.zoneDataVersion}, recomputed with ${engine.zoneData}`),
    );
  if (made.engineVersion !== engine.version)
    causes.push(cause("engine", `computed by version ${made.engineVersion}, recomputed by ${engine.version}`));
  if (causes.length > 0) return causes;
  const isDerivedAlike = differences.every(({ member }) => !member.includes("derivation"));
  return [
    isDerivedAlike
      ? cause("result_changed", "its derivation is unchanged: stored results were changed afterwards")
      : cause("inputs_changed", "the terms of a plan, or the stored inputs, were changed afterwards"),
  ];
}

/** Tampered inputs may be impossible to compute with. */
export const unreadable = (error: Error): Cause =>
  cause("inputs_changed", `it cannot be recomputed from what is stored: ${error.message}`);

export const missing = (name: "event_missing" | "plan_version", what: string): Cause => cause(name, what);

export const changedEvent = (event: EventRow): Cause =>
  cause("event_changed", "the event is not what was accepted", [event.transaction_id]);
