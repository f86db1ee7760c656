/** Why an invoice comes out otherwise: which of its inputs is not what it was. */
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
  /** In words. */
  message: string;
  /** Of events: those that can be told. */
  transactionIds: readonly string[];
};

const cause = (name: Cause["cause"], message: string, transactionIds: readonly string[] = []): Cause => ({
  cause: name,
  message,
  transactionIds,
});

const NAMED_MAX = 20;
const PAGE = 5_000;
/** Beyond that many events of one window nobody is named. */
const LOOKED_AT_MAX = 1_000_000;
/** What is gone is found by no index: it is looked for only where something differs. */
const LOOKING_MS = 60_000;

type Altered = Record<"event_added" | "event_missing" | "event_changed", string[]>;
type Other = OtherUsage & { scope: EventScope };

/** Counts and digests say that the events are others; what was accepted says which. */
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
 * Numbers of events alone can mislead. One that moved to another filter looks like one that is missing here and one too many there: it
 * was changed. One in the place of another looks like one that was changed.
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

/** Each cause once: all its words, all its events. */
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

/** Its body is not the accepted one, or its digest not that of identity, time and body. */
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

/** The one of its other versions, the newest first, with which the invoice comes out as it is stored. */
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
    const message = `plan ${plan.planId} in version ${version} gives what is stored, its version ${plan.planVersion} does not`;
    return [cause("plan_version", message)];
  }
  return [];
}

/** Where no input was found to be another, what computed it may be; else the inputs or the result were written to. */
export function causesOfRest({ engine }: VerifyDeps, made: MadeBy, differences: readonly Difference[]): Cause[] {
  const causes: Cause[] = [];
  if (made.zoneDataVersion !== engine.zoneData)
    causes.push(cause("zone_data", `made with zone data ${made.zoneDataVersion}, made again with ${engine.zoneData}`));
  if (made.engineVersion !== engine.version)
    causes.push(cause("engine", `made by version ${made.engineVersion}, made again by ${engine.version}`));
  if (causes.length > 0) return causes;
  const isDerivedAlike = differences.every(({ member }) => !member.includes("derivation"));
  return [
    isDerivedAlike
      ? cause("result_changed", "its derivation is as it was: what is stored beside it was changed afterwards")
      : cause("inputs_changed", "the terms of a plan, or what it was made from, were changed afterwards"),
  ];
}

/** Whoever wrote to what it was made from may have left something that nothing can be computed with. */
export const unreadable = (error: Error): Cause =>
  cause("inputs_changed", `it cannot be made again from what is stored: ${error.message}`);

export const missing = (name: "event_missing" | "plan_version", what: string): Cause => cause(name, what);

export const changedEvent = (event: EventRow): Cause =>
  cause("event_changed", "the event is not what was accepted", [event.transaction_id]);
