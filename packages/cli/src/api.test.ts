// The commands of the API, against the real service.

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { serve } from "../../client/src/testing/serve.ts";
import { openCli } from "./testing/run-cli.ts";

const service = await serve();
const key = service.organizations[0]?.key ?? "";
const env = { TALLYSTICK_URL: service.url, TALLYSTICK_API_KEY: key };
const { cli, folder } = openCli();
const tally = service.open();

await tally.billableMetrics.create({ code: "calls", name: "Calls", aggregation_type: "count_agg" });
const plan = { code: "api", name: "API", interval: "monthly", amount_currency: "EUR", pay_in_advance: false } as const;
await tally.plans.create({
  ...plan,
  amount_cents: 4900,
  charges: [{ billable_metric_code: "calls", charge_model: "standard", properties: { amount: "0.5" } }],
});
await tally.addOns.create({ code: "set_up", name: "Set-up", amount_cents: 10_000, amount_currency: "EUR" });
await tally.customers.upsert({ external_id: "acme", currency: "EUR" });
await tally.subscriptions.create({ external_customer_id: "acme", external_id: "sub", plan_code: "api" });

test("login keeps address and key in a file that only its owner can read; the environment wins over it", async () => {
  const file = join(folder, "tallystick/profiles.json");
  const { code, out } = await cli(["login", "--url", service.url], { stdin: `${key}\n` });
  expect([code, out]).toEqual([0, expect.stringContaining(`in ${file}.`)]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await cli(["invoices", "preview", "sub", "--json"])).code).toBe(0);

  const elsewhere = await cli(["invoices", "preview", "sub"], { env: { TALLYSTICK_API_KEY: "tsk_unknown" } });
  expect([elsewhere.code, elsewhere.out]).toEqual([1, ""]);
  expect(elsewhere.err).toContain("API key");
  expect(elsewhere.err).not.toContain("    at ");
  // A profile that is named is meant.
  const named = ["invoices", "preview", "sub", "--profile", "default"];
  expect((await cli(named, { env: { TALLYSTICK_API_KEY: "tsk_unknown" } })).code).toBe(0);
});

test("login refuses a key that does not work, and keeps nothing", async () => {
  const { code, err } = await cli(["login", "--url", service.url, "--key", "tsk_unknown", "--profile", "bad"]);
  expect([code, err]).toEqual([1, expect.stringContaining("API key")]);
  expect((await cli(["fees", "explain", "1", "--profile", "bad"])).code).toBe(2);
});

test("a service that is away is named, without a stack", async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const { port } = closed.address() as { port: number };
  await new Promise((resolve) => closed.close(resolve));
  const { code, err } = await cli(["login", "--url", `http://127.0.0.1:${port}`, "--key", key]);
  expect([code, err]).toEqual([1, expect.stringContaining("ECONNREFUSED")]);
});

test("a file of profiles that is damaged is not overwritten", async () => {
  const own = join(folder, "damaged");
  const given = { env: { XDG_CONFIG_HOME: own } };
  expect((await cli(["login", "--url", service.url, "--key", key], given)).code).toBe(0);
  writeFileSync(join(own, "tallystick/profiles.json"), "{");
  const { code, err } = await cli(["login", "--url", service.url, "--key", key], given);
  expect([code, err]).toEqual([1, expect.stringContaining("is not JSON. Repair or remove it")]);
});

test("an invoice is previewed and explained, and so is each fee", async () => {
  const preview = await cli(["invoices", "preview", "sub"], { env });
  expect(preview).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/^Total: \d+ cents EUR$/m) });

  const made = { external_customer_id: "acme", currency: "EUR", fees: [{ add_on_code: "set_up" }] };
  const invoice = await tally.invoices.create(made);
  const explained = await cli(["invoices", "explain", invoice.svc_id], { env });
  expect(explained).toMatchObject({ code: 0, out: expect.stringContaining("Set-up") });
  const [fee] = invoice.fees;
  const why = await cli(["fees", "explain", fee?.svc_id ?? "", "--json"], { env });
  expect(JSON.parse(why.out)).toMatchObject({ svc_fee_id: fee?.svc_id, amount_cents: 10_000 });
  const missing = await cli(["fees", "explain", "nothing"], { env });
  expect(missing).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringMatching(/No fee .*\n {2}request [0-9a-f-]{36}$/),
  });
});

describe("events", () => {
  test("send stores one, and a repeat counts once; values keep every digit", async () => {
    const args = ["events", "send", "--subscription", "sub", "--code", "calls", "--transaction-id", "cli-1"];
    const event = [...args, "--timestamp", "2026-01-31T10:00:00Z", "--property", "size=0.1234567890123456789012"];
    expect(await cli(event, { env })).toEqual({ code: 0, out: "created: cli-1", err: "" });
    expect(await cli(event, { env })).toEqual({ code: 0, out: "duplicate: cli-1", err: "" });
    const other = await cli([...args, "--property", "size=2"], { env });
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining("event.transaction_id: An event of this") });
    expect((await cli([...args, "--property", "size"], { env })).code).toBe(2);
    expect((await tally.events.get("cli-1")).properties).toEqual({ size: "0.1234567890123456789012" });
  });

  test("import sends a file, reports each refused line, and can be repeated", async () => {
    const file = join(folder, "usage.jsonl");
    const line = (index: number) =>
      `{"external_subscription_id":"sub-jsonl","code":"calls","properties":{"size":${index}.1234567890123456789012}}`;
    const lines = Array.from({ length: 350 }, (_, index) => line(index % 7));
    lines[120] = '{"external_subscription_id":"sub-jsonl"}';
    lines[121] = "{";
    writeFileSync(file, `${lines.join("\n")}\n`);
    const rejected = join(folder, "rejected.jsonl");

    const first = await cli(["events", "import", file, "--rejected", rejected], { env });
    expect([first.code, first.out]).toEqual([1, "348 events sent: 348 new, 0 stored before, 2 rejected"]);
    expect(first.err.split("\n").sort()).toEqual(["line 121: code: value_is_mandatory", "line 122: not JSON"]);
    expect(readFileSync(rejected, "utf8").split("\n").sort()).toEqual(["", lines[120], "{"].sort());

    const again = await cli(["events", "import", file, "--json"], { env });
    expect(JSON.parse(again.out)).toEqual({ sent: 348, created: 0, duplicate: 348, rejected: 2 });
    const { text } = await service.call("GET", "/events?external_subscription_id=sub-jsonl&per_page=1");
    const [stored] = /"size": ?[\d.]+/.exec(text) ?? [text];
    expect(stored).toMatch(/^"size": ?\d\.1234567890123456789012$/);
  });

  test("import reads CSV as spreadsheets write it, and stdin", async () => {
    const csv =
      'external_subscription_id,code,region,timestamp\r\nsub-csv,calls,"a ""b"", c",1769850000\r\n"sub-csv",calls,,\r\nsub-csv,calls\r\n';
    const { code, out, err } = await cli(["events", "import", "-", "--format", "csv"], { env, stdin: csv });
    expect([code, out, err]).toEqual([
      1,
      "2 events sent: 2 new, 0 stored before, 1 rejected",
      "line 4: 2 cells instead of 4",
    ]);
    const { items } = await tally.events.list({ external_subscription_id: "sub-csv" });
    expect(items.map(({ properties }) => properties)).toEqual(expect.arrayContaining([{ region: 'a "b", c' }, {}]));
  });

  test("import says what is wrong with the file", async () => {
    expect(await cli(["events", "import", join(folder, "none.jsonl")], { env })).toMatchObject({
      code: 1,
      err: expect.stringContaining("ENOENT"),
    });
    const headless = await cli(["events", "import", "-", "--format", "csv"], { env, stdin: "a,b\n" });
    expect(headless).toMatchObject({ code: 2, err: expect.stringContaining("external_subscription_id is missing") });
  });

  test("tail shows the latest events, then new ones until it is stopped", async () => {
    const latest = await cli(["events", "tail", "--no-follow", "--lines", "1", "--subscription", "sub"], { env });
    expect(latest).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^2026-01-31T10:00:00\.000Z {2}calls {2}sub {2}cli-1 {2}\{/),
    });

    let stop = (): void => undefined;
    const lines: string[] = [];
    const seen = Promise.withResolvers<void>();
    const args = ["events", "tail", "--lines", "0", "--code", "followed", "--json"];
    const following = cli(args, {
      env,
      onStop: (end) => {
        stop = end;
      },
      onOut: (line) => {
        lines.push(line);
        seen.resolve();
      },
    });
    await tally.events.send({ transaction_id: "followed", external_subscription_id: "sub", code: "followed" });
    await seen.promise;
    stop();
    expect((await following).code).toBe(0);
    expect(lines.map((line) => JSON.parse(line).transaction_id)).toEqual(["followed"]);
  });
});
