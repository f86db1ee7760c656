// Against a server that fails in the ways that networks and proxies fail.

import { expect, test } from "vitest";
import { type Exchange, InvalidError, NotFoundError, RateLimitedError, Tallystick, UnavailableError } from "./index.ts";
import { answers, cutsInHalf, cutsOff, type Fate, startFailingServer } from "./testing/failing-server.ts";

const TAX = { tax: { code: "vat" } };
const busy = (status: number, seconds?: string): Fate =>
  answers(status, { code: "busy", message: "Wait." }, seconds === undefined ? {} : { "retry-after": seconds });

async function open(...fates: [Fate, ...Fate[]]) {
  const { url, seen } = await startFailingServer(...fates);
  const waits: number[] = [];
  const exchanges: Exchange[] = [];
  const tally = new Tallystick({
    url: `${url}/`,
    key: "tsk_test",
    timeoutMs: 5_000,
    random: () => 1,
    sleep: async (ms) => void waits.push(ms),
    onExchange: (exchange) => exchanges.push(exchange),
  });
  return { tally, seen, waits, exchanges };
}

const newTax = { code: "vat", name: "VAT", rate: "20" };

test.each([
  ["429", busy(429)],
  ["502", answers(502, "<html>Bad Gateway</html>")],
  ["503", busy(503)],
  ["504", answers(504, "upstream timed out")],
  ["a connection that ends without an answer", cutsOff],
  ["a connection that ends within the answer", cutsInHalf],
])("after %s, a POST is repeated with the same idempotency key and body", async (_, fate) => {
  const { tally, seen } = await open(fate, fate, answers(200, TAX));
  expect(await tally.taxes.create(newTax)).toEqual(TAX.tax);
  expect(seen).toHaveLength(3);
  expect(new Set(seen.map(({ body }) => body)).size).toBe(1);
  const [key, ...others] = new Set(seen.map(({ headers }) => headers["idempotency-key"]));
  expect(key).toMatch(/^[0-9a-f-]{36}$/);
  expect(others).toEqual([]);
});

test("waits double from 250 ms and have jitter; Retry-After is honored when it is longer", async () => {
  const { tally, waits } = await open(busy(503), busy(503), busy(429, "7"), busy(503), answers(200, TAX));
  await tally.taxes.get("vat");
  expect(waits).toEqual([250, 500, 7_000, 2_000]);

  const { url } = await startFailingServer(busy(503), answers(200, TAX));
  const sleep = async (ms: number) => void waits.push(ms);
  await new Tallystick({ url, key: "k", random: () => 0, sleep }).taxes.get("vat");
  expect(waits.at(-1)).toBe(125);
});

test("a Retry-After beyond the limit is not waited for: the error says how long", async () => {
  const { tally, seen } = await open(busy(429, "3600"));
  const error = await tally.taxes.get("vat").catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RateLimitedError);
  expect(error).toMatchObject({ retryAfterSeconds: 3600, message: "Wait.", code: "busy", attempts: 1 });
  expect(seen).toHaveLength(1);
});

test("after all retries the error says how often the request was sent", async () => {
  const { tally, seen } = await open(cutsOff);
  const error = await tally.taxes.delete("vat").catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UnavailableError);
  expect(error).toMatchObject({ status: 0, attempts: 5, name: "UnavailableError" });
  expect((error as Error).cause).toBeInstanceOf(Error);
  expect(seen).toHaveLength(5);
});

test("what is refused for good is not repeated", async () => {
  const refusal = { code: "validation_errors", message: "name: Send a value.", error_details: { name: ["blank"] } };
  const errors = [{ path: "tax.name", code: "blank", message: "Send a value." }];
  const { tally, seen } = await open(
    answers(422, { ...refusal, errors, request_id: "r1" }),
    answers(404),
    answers(500),
  );
  const error = await tally.taxes.create(newTax).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InvalidError);
  expect(error).toMatchObject({ message: "name: Send a value.", fields: { name: ["blank"] }, faults: errors });
  expect(error).toMatchObject({ code: "validation_errors", requestId: "r1", status: 422 });
  await expect(tally.taxes.get("vat")).rejects.toBeInstanceOf(NotFoundError);
  await expect(tally.taxes.get("vat")).rejects.toBeInstanceOf(UnavailableError);
  expect(seen).toHaveLength(3);
});

test("events need no idempotency key, because they have an identity; a given key is sent", async () => {
  const { tally, seen } = await open(busy(503), answers(200, { event: {}, ...TAX }));
  await tally.events.send({ transaction_id: "t1", external_subscription_id: "s", code: "c" });
  expect(seen.map(({ headers }) => headers["idempotency-key"])).toEqual([undefined, undefined]);
  await tally.taxes.create(newTax, { idempotencyKey: "mine" });
  expect(seen.at(-1)?.headers["idempotency-key"]).toBe("mine");
});

test("a POST without an idempotency key is not repeated", async () => {
  const { tally, seen } = await open(busy(503), answers(200, TAX));
  await expect(tally.taxes.create(newTax, { idempotencyKey: "" })).rejects.toBeInstanceOf(UnavailableError);
  expect(seen.map(({ headers }) => headers["idempotency-key"])).toEqual([undefined]);
});

test("a document that is not ready is requested again with another key, because the first answer would stay that of its key", async () => {
  const generating = answers(202, { status: "generating" }, { "retry-after": "2" });
  const { tally, seen, waits } = await open(generating, answers(200, { invoice: { file_url: "here" } }));
  expect(await tally.invoices.download("i1")).toEqual({ file_url: "here" });
  expect(new Set(seen.map(({ headers }) => headers["idempotency-key"])).size).toBe(2);
  expect(waits).toEqual([2_000]);
});

test("a redirect is an error, because it would make a GET of a POST", async () => {
  const { tally, seen } = await open(answers(301, "", { location: "/elsewhere" }));
  await expect(tally.taxes.create(newTax)).rejects.toMatchObject({ status: 301 });
  expect(seen).toHaveLength(1);
});

test("a page that is not JSON is an error that names the url", async () => {
  const { tally } = await open(answers(200, "<html>Welcome</html>"));
  await expect(tally.taxes.get("vat")).rejects.toThrow("Is url the address of the service?");
});

test("an aborted request ends at once, also while it waits", async () => {
  const stop = new AbortController();
  const { url, seen } = await startFailingServer((answer) => {
    busy(503, "50")(answer);
    setImmediate(() => stop.abort(new Error("enough")));
  });
  const tally = new Tallystick({ url, key: "k" });
  await expect(tally.taxes.get("vat", { signal: stop.signal })).rejects.toThrow("enough");
  await expect(tally.taxes.get("vat", { signal: stop.signal })).rejects.toThrow("enough");
  expect(seen).toHaveLength(1);
});

test("an attempt that takes too long is given up and repeated", async () => {
  const { url, seen } = await startFailingServer(() => undefined, answers(200, TAX));
  const tally = new Tallystick({ url, key: "k", timeoutMs: 200, sleep: async () => undefined });
  expect(await tally.taxes.get("vat")).toEqual(TAX.tax);
  expect(seen).toHaveLength(2);
});

test("onExchange sees each attempt without the key; onWarning each warning", async () => {
  const warned: string[] = [];
  const warning = '299 - "the locale \\"xx\\" is unknown", 299 - "two"';
  const { url } = await startFailingServer(cutsOff, answers(200, TAX, { "x-request-id": "r2", warning }));
  const exchanges: Exchange[] = [];
  const tally = new Tallystick({
    url,
    key: "tsk_secret",
    sleep: async () => undefined,
    onExchange: (exchange) => exchanges.push(exchange),
    onWarning: (text) => warned.push(text),
  });
  await tally.taxes.update("a/b", { name: "VAT" });
  expect(exchanges).toMatchObject([
    { operation: "PUT /taxes/{code}", attempt: 1, status: 0, answer: "" },
    { attempt: 2, status: 200, url: `${url}/api/v1/taxes/a%2Fb`, requestId: "r2", body: '{"tax":{"name":"VAT"}}' },
  ]);
  expect(JSON.stringify(exchanges)).not.toContain("tsk_secret");
  expect(warned).toEqual(['the locale "xx" is unknown', "two"]);
});

test("an id that would name another path is refused before anything is sent", async () => {
  const { tally, seen } = await open(answers(200, TAX));
  for (const id of ["", ".", ".."]) await expect(tally.taxes.delete(id)).rejects.toThrow(TypeError);
  expect(seen).toEqual([]);
});
