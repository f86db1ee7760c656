// `tallystick trigger` against the real service, with a worker beside it.
import { afterAll, expect, test } from "vitest";
import { serve } from "../../client/src/testing/serve.ts";
import { makeTestOrganization } from "../../server/src/testing/start-tallystick.ts";
import { openCli } from "./testing/run-cli.ts";
import { PROVOKED, SCENES } from "./trigger/scenes.ts";

const service = await serve();
const env = { TALLYSTICK_URL: service.url, TALLYSTICK_API_KEY: service.organizations[0]?.key ?? "" };
const { cli } = openCli();
const worker = await service.startWorker();
afterAll(() => worker.stop());

test("every type of message can be triggered, or says why not", async () => {
  const { webhooks } = (await service.app.inject("/openapi.json")).json();
  expect(Object.keys(PROVOKED).sort()).toEqual(Object.keys(webhooks).sort());
});

/** The last message of each scene. */
test.each([
  "plan.created",
  "invoice.payment_overdue",
  "credit_note.generated",
  "invoice.voided",
  "wallet.terminated",
  "subscription.canceled",
  "billing.parked",
])("%s is published", { timeout: 180_000 }, async (type) => {
  const { code, out, err } = await cli(["trigger", type, "--json"], { env });
  expect([code, err.split("\n")]).toEqual([0, [expect.stringMatching(/^Playing what leads to/)]]);
  expect(JSON.parse(out)).toMatchObject({ webhook_type: type, payload: { webhook_type: type } });
});

test("what comes later, and what cannot be provoked, is said", async () => {
  expect(await cli(["trigger", "events.errors"], { env })).toMatchObject({
    code: 0,
    out: "It is published five minutes past the next hour.",
  });
  expect(await cli(["trigger", "invoice.held"], { env })).toMatchObject({
    code: 1,
    err: expect.stringContaining("cannot be triggered"),
  });
});

test("in a live organization nothing is made", async () => {
  const { key } = await makeTestOrganization(service.platform, "Live", { isSandbox: false });
  const { code, err } = await cli(["trigger", "plan.created"], { env: { ...env, TALLYSTICK_API_KEY: key } });
  expect([code, err]).toEqual([1, expect.stringContaining("sandbox")]);
  expect((await service.call("GET", "/billable_metrics", undefined, { key })).body.billable_metrics).toEqual([]);
});

test("another type is wrong use", async () => {
  const { code, err } = await cli(["trigger", "invoice.eaten"], { env });
  expect([code, err]).toEqual([2, expect.stringContaining("invoice.created")]);
});

test("a scene needs only scenes that are played before it", () => {
  const order = Object.keys(SCENES);
  for (const [name, { needs }] of Object.entries(SCENES))
    for (const need of needs) expect(order.indexOf(need)).toBeLessThan(order.indexOf(name));
});
