import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { callsTo } from "../processes/calls.ts";
import { createLimiter, type Demand } from "./limiter.ts";
import { answerChild, askParent } from "./shared-limiter.ts";

function limiterAt(start = 0) {
  const time = { ms: start };
  const limiter = createLimiter(() => time.ms);
  const refused = async (demand: Demand) => (await limiter.admit(demand)).refusedFor;
  return { limiter, time, refused };
}

test("a rate is refused from its maximum on, until the second is over", async () => {
  const { time, refused } = limiterAt();
  const rate = { name: "key", max: 2 };
  expect([await refused({ rate }), await refused({ rate }), await refused({ rate })]).toEqual([null, null, "rate"]);
  time.ms = 999;
  expect(await refused({ rate })).toBe("rate");
  time.ms = 1000;
  expect(await refused({ rate })).toBeNull();
});

test("asking without counting takes nothing", async () => {
  const { refused } = limiterAt();
  const rate = { name: "address", max: 1, by: 0 } as const;
  expect([await refused({ rate }), await refused({ rate })]).toEqual([null, null]);
  await refused({ rate: { ...rate, by: 1 } });
  expect(await refused({ rate })).toBe("rate");
});

test("a refusal of one kind takes nothing of the others", async () => {
  const { limiter, refused } = limiterAt();
  const place = { name: "key", max: 1 };
  expect(await refused({ place })).toBeNull();
  expect(await refused({ place, rate: { name: "key", max: 1 } })).toBe("place");
  expect(await refused({ rate: { name: "key", max: 1 } })).toBeNull();
  limiter.leave("key");
  expect(await refused({ place })).toBeNull();
});

test("bytes come back with time, at most one second of them, and more than are left can be taken once", async () => {
  const { limiter, time } = limiterAt();
  const bytes = { name: "key", amount: 400, perSecond: 100 };
  expect(await limiter.admit({ bytes })).toMatchObject({ refusedFor: null });
  expect(await limiter.admit({ bytes })).toMatchObject({ refusedFor: "bytes", waitMs: 3_000 });
  time.ms = 3_001;
  expect(await limiter.admit({ bytes: { ...bytes, amount: 0 } })).toMatchObject({ refusedFor: null });
  time.ms = 100_000;
  limiter.charge({ ...bytes, amount: 200 });
  expect(await limiter.admit({ bytes })).toMatchObject({ refusedFor: "bytes", waitMs: 1_000 });
});

/** Two ends of a channel between processes. */
function channel() {
  const [up, down] = [new EventEmitter(), new EventEmitter()];
  const end = (out: EventEmitter, into: EventEmitter) => ({
    send: (message: object) => out.emit("message", structuredClone(message)),
    on: (event: "message", listener: (message: unknown) => void) => into.on(event, listener),
  });
  return { child: end(down, up), parent: end(up, down) };
}

test("processes share the limiter of their parent, and one that ends leaves its places", async () => {
  const { limiter } = limiterAt();
  const [one, other] = [channel(), channel()];
  const ended = answerChild(one.child, limiter);
  answerChild(other.child, limiter);
  const [first, second] = [askParent(callsTo(one.parent)), askParent(callsTo(other.parent))];
  const place = { name: "key", max: 2 };
  await first.admit({ place });
  await first.admit({ place });
  expect(await second.admit({ place })).toMatchObject({ refusedFor: "place" });
  first.leave("key");
  first.leave("key");
  first.leave("key");
  expect(await second.admit({ place })).toMatchObject({ refusedFor: null });
  expect(await first.admit({ place })).toMatchObject({ refusedFor: null });
  expect(await second.admit({ place })).toMatchObject({ refusedFor: "place" });
  ended();
  expect(await second.admit({ place })).toMatchObject({ refusedFor: null });
  expect(await second.admit({ place })).toMatchObject({ refusedFor: "place" });
});
