import { expect, test } from "vitest";
import { Tallystick } from "./index.ts";
import { answers, startFailingServer } from "./testing/failing-server.ts";

const open = async (answer: string, largeNumbers?: "bigint") => {
  const { url, seen } = await startFailingServer(answers(200, answer));
  return { tally: new Tallystick({ url, key: "k", ...(largeNumbers ? { largeNumbers } : {}) }), seen };
};

test("a whole number that a JavaScript number cannot hold throws, and is a bigint by option", async () => {
  const answer = '{"wallet":{"balance_cents":9007199254740993,"rate":"0.10","small":9007199254740991}}';
  const { tally } = await open(answer);
  await expect(tally.wallets.get("w")).rejects.toThrow("balance_cents: no number can hold 9007199254740993");
  const { tally: exact } = await open(answer, "bigint");
  expect(await exact.wallets.get("w")).toEqual({
    balance_cents: 9007199254740993n,
    rate: "0.10",
    small: 9007199254740991,
  });
});

test("a number beyond every double throws, with either option", async () => {
  for (const option of [undefined, "bigint"] as const) {
    const { tally } = await open('{"tax":{"rate":1e999}}', option);
    await expect(tally.taxes.get("t")).rejects.toThrow(RangeError);
  }
});

test("what is sent is exact: a bigint keeps its digits, and a rounded number is refused", async () => {
  const { tally, seen } = await open('{"event":{}}');
  const event = { transaction_id: "t", external_subscription_id: "s", code: "c" };
  await tally.events.send({ ...event, properties: { count: 12345678901234567890n, small: 0.1, text: "0.10" } });
  expect(seen[0]?.body).toContain('"properties":{"count":12345678901234567890,"small":0.1,"text":"0.10"}');
  for (const count of [2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, 1e21])
    await expect(tally.events.send({ ...event, properties: { count } })).rejects.toThrow("Send it as text");
  expect(seen).toHaveLength(1);
});
