/** Requests per second and API key, in buckets: ingestion of events must not starve management requests, or the reverse. */
import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { refusal } from "./problem.ts";

/** Requests per second; 0 means no limit. */
export type RateLimits = { events: number; usage: number; other: number };

declare module "fastify" {
  interface FastifyContextConfig {
    rateBucket?: keyof RateLimits;
  }
}

export async function limitRates(app: FastifyInstance, limits: RateLimits): Promise<void> {
  if (Object.values(limits).every((limit) => limit === 0)) return;
  const bucketOf = (request: FastifyRequest) => request.routeOptions.config.rateBucket ?? "other";
  await app.register(rateLimit, {
    hook: "preValidation",
    timeWindow: 1000,
    allowList: (request) => limits[bucketOf(request)] === 0,
    max: (request) => limits[bucketOf(request)],
    keyGenerator: (request) => `${request.caller.keyId} ${bucketOf(request)}`,
    errorResponseBuilder: () => refusal(429, "rate_limited"),
  });
}
