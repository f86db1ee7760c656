/**
 * How much one caller may ask for, counted before the body is read, because reading it is work too. Ingestion of events must not starve
 * management requests, or the reverse, so each has a rate of its own.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Limiter, Verdict } from "../platform/limiter/limiter.ts";
import type { AddressLimit } from "./address-limit.ts";
import { PUBLIC } from "./auth.ts";
import { refusal } from "./problem.ts";

/** Requests per second. Everywhere 0 means no limit. */
type Buckets = { events: number; usage: number; other: number };
export type RateLimits = Buckets & {
  /** Requests of a key that are under way at once. */
  atOnce: number;
  /** Of the requests and answers of a key, per second. */
  bytes: number;
  /** Requests of an address that need no key or have one that does not work. */
  address: number;
};

export const NO_LIMITS: RateLimits = { events: 0, usage: 0, other: 0, atOnce: 0, bytes: 0, address: 0 };

declare module "fastify" {
  interface FastifyContextConfig {
    rateBucket?: keyof Buckets;
  }
}

/** Needs `request.caller`. */
export function limitCallers(app: FastifyInstance, limits: RateLimits, limiter: Limiter): void {
  const bytesOf = createBytesOf(limits);
  app.addHook("onRequest", async (request, reply) => {
    const name = nameOf(request);
    const bucket = request.routeOptions.config.rateBucket ?? "other";
    const max = limits[bucket];
    const place = `place ${name}`;
    const verdict = await limiter.admit({
      ...(max > 0 && { rate: { name: `${bucket} ${name}`, max } }),
      ...(limits.atOnce > 0 && { place: { name: place, max: limits.atOnce } }),
      ...(limits.bytes > 0 && { bytes: bytesOf(request, announcedBytes(request)) }),
    });
    if (max > 0) tellRate(reply, max, verdict);
    if (verdict.refusedFor !== null) throw tooMany(verdict, limits);
    if (limits.atOnce === 0) return;
    // Also if the client goes away before the answer.
    if (reply.raw.closed) limiter.leave(place);
    else reply.raw.once("close", () => limiter.leave(place));
  });
  app.addHook("onSend", async (request, reply, payload) => {
    if (limits.bytes > 0 && request.caller) {
      const sent = typeof payload === "string" ? payload.length : 0;
      limiter.charge(bytesOf(request, sent + chunkedBytes(request, reply.statusCode)));
    }
    return payload;
  });
}

/** A shorter wait was for a free place, not for large answers. */
const WAITED_MS = 10;

/**
 * The size of an answer is known only when it is made. Of requests that came together, those that waited for their turn are admitted once
 * more, because the answers before theirs may have used up the bytes of the key. Registered after `takeFairTurns`.
 */
export function limitWhoeverHasWaited(app: FastifyInstance, limits: RateLimits, limiter: Limiter): void {
  if (limits.bytes === 0) return;
  const bytesOf = createBytesOf(limits);
  app.addHook("preValidation", async (request) => {
    if (request.waitedMs < WAITED_MS) return;
    const announced = announcedBytes(request);
    // Given back first, so that a request is not refused for its own body.
    limiter.charge(bytesOf(request, -announced));
    const verdict = await limiter.admit({ bytes: bytesOf(request, announced) });
    if (verdict.refusedFor !== null) throw tooMany(verdict, limits);
  });
}

const createBytesOf = (limits: RateLimits) => (request: FastifyRequest, amount: number) => ({
  name: `bytes ${nameOf(request)}`,
  amount,
  perSecond: limits.bytes,
});

const nameOf = ({ caller: { actor } }: FastifyRequest): string => `${actor.kind} ${actor.id}`;

/** What is larger than a body may be is refused and not read: a key must not pay for it for hours. */
const announcedBytes = ({ headers, routeOptions }: FastifyRequest): number =>
  Math.min(Number(headers["content-length"]) || 0, routeOptions.bodyLimit);

/** A body in chunks announces no length, so that it counts only when it was read. */
const chunkedBytes = ({ headers, routeOptions, bodyBytes }: FastifyRequest, status: number): number => {
  if (headers["content-length"] !== undefined) return 0;
  return status === 413 ? routeOptions.bodyLimit : bodyBytes;
};

const secondsOf = ({ waitMs }: Verdict) => Math.max(1, Math.ceil(waitMs / 1000));

function tellRate(reply: FastifyReply, max: number, verdict: Verdict): void {
  reply.headers({ "x-ratelimit-limit": max, "x-ratelimit-remaining": verdict.left, "x-ratelimit-reset": 1 });
}

function tooMany(verdict: Verdict, { atOnce, bytes }: RateLimits) {
  const retryAfterSeconds = secondsOf(verdict);
  const message = {
    rate: undefined,
    place: `The API key has ${atOnce} requests under way. Wait for an answer before you send the next.`,
    bytes: `The requests and answers of the API key had more than ${bytes} bytes per second. Wait ${retryAfterSeconds} s, and send fewer or smaller ones.`,
  }[verdict.refusedFor ?? "rate"];
  const code = verdict.refusedFor === "place" ? "too_many_at_once" : "rate_limited";
  return refusal(429, code, { ...(message && { message }), retryAfterSeconds });
}

/** Asked by probes and monitors, which often share an address with others. */
const PROBES = ["/health", "/ready", "/metrics"];

/** Pages and files that anyone may ask for. */
export function limitPublicRoutes(app: FastifyInstance, limit: AddressLimit): void {
  app.addHook("onRequest", async ({ ip, routeOptions: { config, url = "" } }) => {
    // A page needs a dozen files at once, and they cost nothing to send.
    if (config?.permission !== PUBLIC || PROBES.includes(url) || url.startsWith("/assets/")) return;
    await limit.count(ip);
  });
}
