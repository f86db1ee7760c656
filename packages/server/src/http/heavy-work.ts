/**
 * Requests that compute for long, such as the explanation of an invoice with thousands of lines. Each organization has one at a time, so that
 * nobody waits for more than one of another. `npm start` answers them in a process of their own, so that all other requests wait for none.
 */
import type { FastifyInstance } from "fastify";
import { forward } from "../platform/processes/forward.ts";
import { createTurns } from "../platform/processes/turns.ts";
import { refusal } from "./problem.ts";

const AT_ONCE = 4;
const WAITING_MAX = 100;

declare module "fastify" {
  interface FastifyContextConfig {
    isHeavy?: boolean;
  }
}

/** Needs `request.caller`. */
export function takeTurnsWithHeavyWork(api: FastifyInstance): void {
  const turns = createTurns({ atOnce: AT_ONCE, perGroup: 1, waitingMax: WAITING_MAX });
  api.addHook("onRequest", async ({ caller, routeOptions }, reply) => {
    if (!routeOptions.config.isHeavy) return;
    if (!(await turns.take(caller.organizationId)))
      throw refusal(429, "too_many_at_once", {
        message: `${WAITING_MAX} requests of your organization that compute for long are waiting. Wait for their answers before you send the next.`,
        retryAfterSeconds: 1,
      });
    const leave = () => turns.leave(caller.organizationId);
    if (!reply.raw.closed) return void reply.raw.once("close", leave);
    leave();
    throw refusal(503);
  });
}

/** To the process that listens on the socket. It checks the key again. */
export function forwardHeavyWork(api: FastifyInstance, socketPath: string): void {
  api.addHook("onRequest", async (request, reply) => {
    if (!request.routeOptions.config.isHeavy) return;
    const gone = new AbortController();
    reply.raw.once("close", () => gone.abort());
    const headersOfRequest = { "x-request-id": request.id };
    const forwarded = forward(request.raw, { socketPath, headers: headersOfRequest, signal: gone.signal });
    const answer = await forwarded.catch((error: unknown) => {
      request.log.error({ err: error }, "heavy work failed");
      throw refusal(503, undefined, { retryAfterSeconds: 2 });
    });
    const { connection: _, "keep-alive": __, "transfer-encoding": ___, ...headers } = answer.headers;
    return reply
      .status(answer.statusCode ?? 500)
      .headers(headers)
      .send(answer);
  });
}
