/** Inserts events directly into the tables with the statement of ingestion, for tests that read events. */
import { canonicalText } from "@tallystick/core/usage";
import { sql } from "kysely";
import { systemClock } from "../platform/clock.ts";
import { newId } from "../platform/new-id.ts";
import type { Database } from "../platform/postgres/database.ts";

export type PutEvent = {
  readonly transactionId: string;
  readonly code: string;
  readonly at: Temporal.Instant;
  /** Name and JSON value, as a client writes them. */
  readonly properties: readonly (readonly [name: string, json: string])[];
  readonly digest: bigint;
};

export type PutEvents = (
  organizationId: string,
  externalSubscriptionId: string,
  events: readonly PutEvent[],
  lane: number,
) => Promise<void>;

/** Each call is received a moment after the previous one. */
export function createPutEvents(db: Database): PutEvents {
  let received = systemClock.now();
  return async (organizationId, externalSubscriptionId, events, lane) => {
    if (events.length === 0) return;
    received = received.add({ microseconds: 1 });
    const properties = events.map((event) => event.properties.map(([name, json]) => toStored(name, json)));
    await sql`
      select ingest_events(
        ${organizationId}, ${lane}, ${received},
        ${events.map(() => 0)}, ${events.map(() => newId())}, ${events.map(() => externalSubscriptionId)},
        ${events.map(({ transactionId }) => transactionId)}, ${events.map(() => Buffer.alloc(16))},
        ${events.map(({ code }) => code)}, ${events.map(({ at }) => at.toString())}, ${events.map(() => true)},
        ${events.map(({ digest }) => String(digest))},
        ${properties.map((members) => toJson(members.map(({ name, json }) => [name, json])))}::jsonb[],
        ${properties.map((members) => toCanonicals(members))}::jsonb[]
      )`.execute(db);
  };
}

type Stored = { name: string; json: string; canonical: string | null };

/** Numbers as plain decimals; objects and lists also with their canonical text. */
function toStored(name: string, json: string): Stored {
  const text = canonicalText(json);
  if (!text.ok || text.value === null) return { name, json: "null", canonical: null };
  const value: unknown = JSON.parse(json);
  if (typeof value === "object") return { name, json, canonical: text.value };
  return { name, json: typeof value === "number" ? text.value : json, canonical: null };
}

function toCanonicals(members: readonly Stored[]): string | null {
  const nested = members.flatMap(({ name, canonical }): [string, string][] =>
    canonical === null ? [] : [[name, JSON.stringify(canonical)]],
  );
  return nested.length === 0 ? null : toJson(nested);
}

const toJson = (members: readonly (readonly [name: string, json: string])[]): string =>
  `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
