/** A link never leads where a request says: neither its Host nor what proxies add can reach an answer, a webhook or an email. */
import { expect, test } from "vitest";
import { runOn } from "../platform/postgres/temporary-database.ts";
import { createLog } from "../platform/telemetry/log.ts";
import { givenInvoice } from "../testing/sample-records.ts";
import { startTallystick } from "../testing/start-tallystick.ts";

const EVIL = {
  host: "evil.example",
  "x-forwarded-host": "evil.example",
  "x-forwarded-proto": "gopher",
  "x-forwarded-for": "203.0.113.66",
  forwarded: "for=203.0.113.66;host=evil.example;proto=gopher",
  "x-original-host": "evil.example",
};

const start = async (settings: Record<string, string>) => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line: string) => void lines.push(line) });
  return { ...(await startTallystick({ log, settings })), lines };
};

/** Every text in every table of the database. */
const everythingStored = async (url: string): Promise<string> => {
  const tables = await runOn(
    url,
    "select format('%I.%I', table_schema, table_name) as name from information_schema.tables where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')",
  );
  const rows: unknown[] = [];
  for (const { name } of tables as { name: string }[]) rows.push(await runOn(url, `select t::text from ${name} t`));
  return JSON.stringify(rows);
};

test.each([
  ["set", { PUBLIC_URL: "https://billing.example" }, "https://billing.example/files/"],
  ["not set", { PORT: "4321" }, "http://127.0.0.1:4321/files/"],
  ["not set, on every address", { PORT: "4321", HOST: "0.0.0.0" }, "http://127.0.0.1:4321/files/"],
  [
    "set, behind a proxy that is trusted",
    { PUBLIC_URL: "https://billing.example", TRUSTED_PROXIES: "127.0.0.1" },
    "https://billing.example/files/",
  ],
])("with PUBLIC_URL %s, a forged Host reaches neither an answer nor anything stored", async (_, settings, expected) => {
  const { platform, call, drain } = await start(settings);
  const webhook_endpoint = { webhook_url: "https://receiver.example/hooks" };
  expect((await call("POST", "/webhook_endpoints", { webhook_endpoint })).status).toBe(200);
  const forged = { headers: EVIL };
  const { svc_id } = await givenInvoice((method, path, body) => call(method, path, body, forged), "links");
  await call("POST", `/invoices/${svc_id}/download`, undefined, forged);
  await drain();
  const shown = await call("GET", `/invoices/${svc_id}`, undefined, forged);
  expect(shown.body.invoice.file_url).toMatch(new RegExp(`^${RegExp.escape(expected)}`));
  const stored = await everythingStored(platform.config.DATABASE_URL);
  expect(stored).toContain(expected);
  expect(stored).toContain("invoice.generated");
  for (const word of ["evil.example", "gopher"]) expect(`${stored}${shown.text}`).not.toContain(word);
  expect(shown.text).not.toContain("203.0.113.66");
  const [activity] = await runOn(
    platform.config.DATABASE_URL,
    "select array_agg(address) as addresses from activities where operation = 'createInvoice'",
  );
  expect(activity?.addresses).toEqual(["TRUSTED_PROXIES" in settings ? "203.0.113.66" : "127.0.0.1"]);
});

const addressesIn = (lines: readonly string[]): unknown[] =>
  lines.flatMap((line) => JSON.parse(line).req?.remoteAddress ?? []);

test("the address that a caller claims counts for nothing, unless a trusted proxy says so", async () => {
  for (const [proxies, expected] of [
    ["none", "127.0.0.1"],
    ["10.0.0.0/8", "127.0.0.1"],
    ["127.0.0.0/8", "203.0.113.66"],
  ] as const) {
    const { call, lines } = await start({ TRUSTED_PROXIES: proxies });
    await call("GET", "/taxes", undefined, { headers: { "x-forwarded-for": "203.0.113.66" } });
    expect([proxies, ...new Set(addressesIn(lines))]).toEqual([proxies, expected]);
  }
});
