import { expect, test } from "vitest";
import { makeTestKey } from "../testing/make-test-key.ts";
import { type Answer, startTallystick } from "../testing/start-tallystick.ts";

const limited = await startTallystick({ settings: { RATE_LIMIT_OTHER: "2" } });
const free = await startTallystick();

const freshKey = async () => {
  const { platform, organizations } = limited;
  return (await makeTestKey(platform, organizations[0]?.id ?? "")).token;
};
/** In parallel, so that all fall into the same second. */
const ask = (count: number, key: string) =>
  Promise.all(Array.from({ length: count }, () => limited.call("GET", "/taxes", undefined, { key })));
const limitHeaders = (answer?: Answer) =>
  Object.keys(answer?.headers ?? {}).filter((name) => name.includes("ratelimit"));

test("the third request in a second is refused with the time to retry", async () => {
  const answers = await ask(3, await freshKey());
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.body).toMatchObject({ status: 429, error: "Too Many Requests", code: "rate_limited" });
  expect(refused?.headers).toMatchObject({
    "retry-after": "1",
    "x-ratelimit-limit": "2",
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": "1",
  });
});

test("a response within the limit says how many requests are left", async () => {
  const [first, second] = await ask(2, await freshKey());
  const left = [first, second].map((answer) => answer?.headers["x-ratelimit-remaining"]);
  expect(left.sort()).toEqual(["0", "1"]);
  expect(first?.headers).toMatchObject({ "x-ratelimit-limit": "2", "x-ratelimit-reset": "1" });
  expect(first?.headers).not.toHaveProperty("retry-after");
});

test("each key has a limit of its own, also within an organization", async () => {
  const [one, other] = [await freshKey(), await freshKey()];
  const answers = await Promise.all([ask(5, one), ask(2, other)]);
  expect(answers.map((list) => list.filter(({ status }) => status === 429).length)).toEqual([3, 0]);
});

test("a limit on one kind of request does not affect another", async () => {
  const only = await startTallystick({ settings: { RATE_LIMIT_EVENTS: "1" } });
  const answers = await Promise.all(Array.from({ length: 20 }, () => only.call("GET", "/taxes")));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(limitHeaders(answers[0])).toEqual([]);
});

test("a refused request has no effect", async () => {
  const key = await freshKey();
  const create = (code: number) =>
    limited.call("POST", "/taxes", { tax: { name: "T", code: `t${code}`, rate: "1" } }, { key });
  const answers = await Promise.all([1, 2, 3, 4, 5].map(create));
  expect(answers.filter(({ status }) => status === 200).length).toBe(2);
  const { body } = await limited.call("GET", "/taxes", undefined, { key: await freshKey() });
  expect(body.meta.total_count).toBe(2);
});

test("without limits nothing is refused and no limit header is sent", async () => {
  const answers = await Promise.all(Array.from({ length: 200 }, () => free.call("GET", "/organizations")));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(limitHeaders(answers[0])).toEqual([]);
});
