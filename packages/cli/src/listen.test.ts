// `tallystick listen` against the real service, and a receiver that checks signatures.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, expect, test } from "vitest";
import { serve } from "../../client/src/testing/serve.ts";
import { openCli } from "./testing/run-cli.ts";

const service = await serve();
const env = { TALLYSTICK_URL: service.url, TALLYSTICK_API_KEY: service.organizations[0]?.key ?? "" };
const { cli } = openCli();
const tally = service.open();

type Received = { headers: Record<string, string>; body: string };
const received: Received[] = [];
let status = 204;
const receiver = createServer((request, response) => {
  let body = "";
  request.on("data", (part) => (body += part));
  request.on("end", () => {
    received.push({ headers: request.headers as Record<string, string>, body });
    response.writeHead(status).end();
  });
});
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
afterAll(() => void receiver.close());
const forward = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
const args = ["listen", "--forward", forward];

let codes = 0;
async function publish(): Promise<string> {
  const code = `listened_${codes++}`;
  await tally.billableMetrics.create({ code, name: code, aggregation_type: "count_agg" });
  await service.deliver();
  return code;
}
const codeIn = ({ body }: Received): string => JSON.parse(body).billable_metric.code;

let secret = "";

test("listen begins with new messages, prints its secret once, and goes on where it ended", async () => {
  await publish();
  const first = await cli([...args, "--no-follow"], { env });
  expect([first.code, first.out, received]).toEqual([0, "", []]);
  [, secret = ""] = /shown once: (whsec_\S+)/.exec(first.err) ?? [];
  const codes = [await publish(), await publish()];
  const second = await cli([...args, "--no-follow"], { env });
  expect(second.err).not.toContain("whsec_");
  expect(second.out.split("\n")).toEqual(
    codes.map(() => expect.stringMatching(/^204 {2}billable_metric\.created {2}\S{36} {2}\d+ ms$/)),
  );
  expect(received.map(codeIn)).toEqual(codes);
  expect((await cli([...args, "--no-follow"], { env })).out).toBe("");
});

test("a receiver verifies the signature with a library of Standard Webhooks", () => {
  for (const { headers, body } of received) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  const [{ headers, body } = { headers: {}, body: "" }] = received;
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
});

test("an answer that is an error is shown, and so is an address where nothing answers", async () => {
  await publish();
  status = 500;
  expect((await cli([...args, "--no-follow"], { env })).out).toMatch(/^500 {2}/);
  await publish();
  status = 204;
  const nowhere = await cli(["listen", "--forward", "http://127.0.0.1:1/", "--no-follow", "--json"], { env });
  expect(JSON.parse(nowhere.out)).toMatchObject({
    status: null,
    error: expect.stringMatching(/bad port|ECONNREFUSED/),
  });
});

test("listen follows until it is stopped", async () => {
  let stop = (): void => undefined;
  const onStop = (end: () => void): void => {
    stop = end;
  };
  const seen = Promise.withResolvers<string>();
  const following = cli(args, { env, onStop, onOut: seen.resolve });
  const code = await publish();
  expect(await seen.promise).toMatch(/^204/);
  stop();
  expect((await following).code).toBe(0);
  expect(codeIn(received.at(-1) as Received)).toBe(code);
});

test("a place whose messages were deleted is explained, and --from goes on", async () => {
  await publish();
  const { db } = service.platform;
  const { inOrganization } = await import("../../server/src/platform/postgres/database.ts");
  const { forgetPayloads } = await import("../../server/src/jobs/outbox-store.ts");
  const id = service.organizations[0]?.id ?? "";
  const { messages } = (await service.call("GET", "/messages")).body;
  await inOrganization(db, id, (tx) =>
    forgetPayloads(
      tx,
      id,
      messages.map((one: { svc_id: string }) => one.svc_id),
      service.platform.clock.now(),
    ),
  );
  const { code, err } = await cli([...args, "--no-follow"], { env });
  expect([code, err]).toEqual([1, expect.stringContaining("--from latest")]);
  expect((await cli([...args, "--no-follow", "--from", "oldest"], { env })).code).toBe(0);
  expect((await cli([...args, "--no-follow"], { env })).code).toBe(0);
});

test.each([
  [["listen"], "--forward"],
  [["listen", "--forward", "localhost:4000"], "--forward takes an address"],
  [["listen", "--forward", forward, "--from", "yesterday"], "Allowed choices are latest, oldest"],
])("%j is wrong use", async (wrong, words) => {
  const { code, err } = await cli(wrong, { env });
  expect([code, err]).toEqual([2, expect.stringContaining(words)]);
});
