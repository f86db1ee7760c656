/**
 * Requests of one organization do not crowd out those of others: only a few are worked on at the same time in each process, and the next of
 * an organization that waits comes before the next of one that was just served. Events, usage and other requests wait apart, so that
 * requests that wait for a locked customer do not hold up ingestion.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createTurns } from "../platform/processes/turns.ts";
import { refusal } from "./problem.ts";

/** About as many as a process has connections to the database. */
const AT_ONCE = 12;
const OF_ONE_GROUP = 3;
const WAITING_MAX = 1_000;

declare module "fastify" {
  interface FastifyRequest {
    /** Waits until the request may be worked on. Called when its body has arrived: a slow one must not take a turn. */
    takeTurn: (() => Promise<void>) | null;
    /** How long it waited for its turn. */
    waitedMs: number;
  }
}

export const offerTurns = (app: FastifyInstance): void =>
  void app.decorateRequest("takeTurn", null).decorateRequest("waitedMs", 0);

/** Needs `request.caller`. */
export function takeFairTurns(api: FastifyInstance): void {
  const turns = createTurns({ atOnce: AT_ONCE, perGroup: OF_ONE_GROUP, waitingMax: WAITING_MAX });
  const leaves = new WeakMap<FastifyRequest, () => void>();
  const leave = (request: FastifyRequest): void => {
    leaves.get(request)?.();
    leaves.delete(request);
  };
  const take = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const group = `${request.routeOptions.config.rateBucket ?? "other"} ${request.caller.organizationId}`;
    const begun = performance.now();
    if (!(await turns.take(group))) throw refusal(429, "too_many_at_once", { retryAfterSeconds: 1 });
    request.waitedMs = performance.now() - begun;
    leaves.set(request, () => turns.leave(group));
    if (!reply.raw.closed) return void reply.raw.once("close", () => leave(request));
    leave(request);
    throw refusal(503);
  };
  api.addHook("onRequest", async (request, reply) => {
    // Heavy work has turns of its own.
    if (request.routeOptions.config.isHeavy) return;
    request.takeTurn = () => {
      request.takeTurn = null;
      return take(request, reply);
    };
  });
  api.addHook("preValidation", async (request) => request.takeTurn?.());
  // Checked events go on to a queue that is fair as well, and that stores all of an organization that wait in one statement. With an
  // Idempotency-Key they join no queue: each request has a transaction of its own, and keeps its turn.
  api.addHook("preHandler", async (request) => {
    const isQueued = request.headers["idempotency-key"] === undefined;
    if (isQueued && request.routeOptions.config.rateBucket === "events") leave(request);
  });
  // The answer is made: a client that reads it slowly holds no turn.
  api.addHook("onSend", async (request, _reply, payload) => {
    leave(request);
    return payload;
  });
}
