/**
 * The trail: each request that changes something is recorded in the transaction of its change. A route that changes nothing says so; all
 * others are recorded without a word of theirs.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Clock } from "../platform/clock.ts";
import { toExactJson } from "../platform/json-text.ts";
import type { Tx } from "../platform/postgres/database.ts";
import type { Actor } from "./auth.ts";

export type ActivityEntry = {
  at: Temporal.Instant;
  actor: Actor;
  address: string;
  operation: string;
  object: { type: string; id: string | null };
  requestId: string;
  /** JSON: the value of each changed member before and after. Null if the route keeps none, or nothing changed. */
  difference: string | null;
};
export type RecordActivity = (tx: Tx, organizationId: string, entry: ActivityEntry) => Promise<unknown>;

declare module "fastify" {
  interface FastifyContextConfig {
    /**
     * By default, who called the operation on which object. `difference`: also the members that changed, for routes that call
     * `precondition` before a change. `none`: the route changes nothing, or only receives events.
     */
    activity?: "difference" | "none";
  }
  interface FastifyRequest {
    /** The record as `precondition` saw it. */
    shownBefore: object | null;
  }
}

type Means = { clock: Clock; recordActivity: RecordActivity; operationOf: (method: string, url: string) => string };
export type RecordRequest = (tx: Tx, request: FastifyRequest, answer: unknown) => Promise<void>;

export function offerActivities(app: FastifyInstance, { clock, recordActivity, operationOf }: Means): RecordRequest {
  app.decorateRequest("shownBefore", null);
  return async (tx, request, answer) => {
    if (!isRecorded(request)) return;
    const { caller, method, routeOptions, id: requestId, ip: address } = request;
    await recordActivity(tx, caller.organizationId, {
      at: clock.now(),
      actor: caller.actor,
      address,
      operation: operationOf(method, routeOptions.url ?? ""),
      object: objectOf(request, answer),
      requestId,
      difference: differenceOf(request, answer),
    });
  };
}

const isRecorded = ({ method, routeOptions }: FastifyRequest): boolean =>
  method !== "GET" && routeOptions.config.activity !== "none";

/** Whether the record before the change must be read for the trail. */
export const keepsDifference = (request: FastifyRequest): boolean =>
  isRecorded(request) && request.routeOptions.config.activity === "difference";

type Members = Readonly<Record<string, unknown>>;

/** The record in its envelope, with the name of the envelope. */
function recordIn(answer: unknown): { type: string; record: Members } | undefined {
  const [[type, record] = ["", null], ...others] = Object.entries(answer ?? {});
  const isSingle = others.length === 0 && typeof record === "object" && record !== null && !Array.isArray(record);
  return isSingle ? { type, record: record as Members } : undefined;
}

/** An answer without a record is about what the address names. */
function objectOf({ params, routeOptions }: FastifyRequest, answer: unknown): ActivityEntry["object"] {
  const shown = recordIn(answer);
  const [named = null] = Object.values(params ?? {}) as string[];
  return {
    type: shown?.type ?? routeOptions.config.permission ?? "unknown",
    id: typeof shown?.record.svc_id === "string" ? shown.record.svc_id : named,
  };
}

/** Of a record that is made, `before` is null for each member; of one that is deleted, `after`. */
function differenceOf(request: FastifyRequest, answer: unknown): string | null {
  // Routes that show secrets keep no difference, whatever they declare.
  if (!keepsDifference(request) || request.routeOptions.config.showsSecret) return null;
  const shown = recordIn(answer)?.record ?? {};
  const before = recordIn(request.shownBefore)?.record;
  if (request.method === "DELETE") return compare(shown, {});
  if (before === undefined && request.method !== "POST") return null;
  return compare(before ?? {}, shown);
}

/** They say nothing that the activity does not say, or change by themselves. */
const isLeftOut = (member: string): boolean =>
  ["svc_id", "created_at", "updated_at"].includes(member) || member.endsWith("_count");

function compare(before: Members, after: Members): string | null {
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((member) => {
    const [old, now] = [toExactJson(before[member] ?? null), toExactJson(after[member] ?? null)];
    return old === now || isLeftOut(member) ? [] : [`${JSON.stringify(member)}:[${shorten(old)},${shorten(now)}]`];
  });
  return changed.length === 0 ? null : `{${changed.join(",")}}`;
}

/** The charges of a plan can have a megabyte. The plan keeps its versions itself. */
const LENGTH_MAX = 20_000;

const shorten = (json: string): string =>
  json.length <= LENGTH_MAX ? json : JSON.stringify(`not kept: ${json.length} characters`);
