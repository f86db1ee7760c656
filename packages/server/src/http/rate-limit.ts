/**
 * Requests per second and API key, in buckets: ingestion of events must not starve management requests, or the reverse. Counted before the
 * body is read, because reading it is work too.
 */
import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type AddressLimit, tooManyFromAddress } from "./address-limit.ts";
import { PUBLIC } from "./auth.ts";
import { refusal } from "./problem.ts";

/** Requests per second; 0 means no limit. */
type Buckets = { events: number; usage: number; other: number };
export type RateLimits = Buckets & {
  /** Requests of a key that are under way at once; 0 means no limit. */
  atOnce: number;
  /** Requests of an address that need no key or have one that does not work. */
  address: number;
};

declare module "fastify" {
  interface FastifyContextConfig {
    rateBucket?: keyof Buckets;
  }
}

export async function limitRates(app: FastifyInstance, { events, usage, other }: RateLimits): Promise<void> {
  const limits: Buckets = { events, usage, other };
  if (Object.values(limits).every((limit) => limit === 0)) return;
  const bucketOf = (request: FastifyRequest) => request.routeOptions.config.rateBucket ?? "other";
  await app.register(rateLimit, {
    hook: "onRequest",
    timeWindow: 1000,
    allowList: (request) => limits[bucketOf(request)] === 0,
    max: (request) => limits[bucketOf(request)],
    keyGenerator: (request) => `${request.caller.keyId} ${bucketOf(request)}`,
    errorResponseBuilder: () => refusal(429, "rate_limited"),
  });
}

/** Asked by probes and monitors, which often share an address with others. */
const PROBES = ["/health", "/ready", "/metrics"];

/** Pages and files that anyone may ask for. */
export function limitPublicRoutes(app: FastifyInstance, limit: AddressLimit): void {
  app.addHook("onRequest", async ({ ip, routeOptions: { config, url = "" } }) => {
    if (config?.permission !== PUBLIC || PROBES.includes(url)) return;
    if (limit.isReached(ip)) throw tooManyFromAddress();
    limit.count(ip);
  });
}
