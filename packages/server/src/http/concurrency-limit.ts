/** Requests of one API key that are under way at once: a key within its rate could otherwise occupy every connection to the database. */
import type { FastifyInstance } from "fastify";
import { refusal } from "./problem.ts";

/** `max` 0: no limit. Needs `request.caller`, and runs before the body is read. */
export function limitConcurrency(app: FastifyInstance, max: number): void {
  if (max === 0) return;
  const underWay = new Map<string, number>();
  const change = (keyId: string, by: 1 | -1) => {
    const count = (underWay.get(keyId) ?? 0) + by;
    if (count === 0) underWay.delete(keyId);
    else underWay.set(keyId, count);
  };
  app.addHook("onRequest", async ({ caller: { keyId } }, reply) => {
    if ((underWay.get(keyId) ?? 0) >= max)
      throw refusal(429, "too_many_at_once", {
        message: `The API key has ${max} requests under way. Wait for an answer before you send the next.`,
        retryAfterSeconds: 1,
      });
    change(keyId, 1);
    // Also if the client goes away before the answer.
    reply.raw.once("close", () => change(keyId, -1));
  });
}
