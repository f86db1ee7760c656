/** Logs tell operators what happened, and nobody about whom, or how to open a file. */
import { expect, test } from "vitest";
import { runOn } from "../platform/postgres/temporary-database.ts";
import { createLog } from "../platform/telemetry/log.ts";
import { startTallystick } from "../testing/start-tallystick.ts";

const lines: string[] = [];
const log = createLog("trace", { write: (line: string) => void lines.push(line) });
const { platform, app, call, drain } = await startTallystick({ log });

/** In every place where a caller can put a word about a person. None of them may be in a log. */
const MARKERS = ["Jane.Roe", "jane.roe@marker.example", "Marker-Lane-7", "DE-MARKER-42", "Löwe Marker"];
const [NAME = "", EMAIL = "", STREET = "", TAX_ID = "", UNICODE = ""] = MARKERS;

const customer = {
  external_id: EMAIL,
  name: NAME,
  legal_name: UNICODE,
  email: EMAIL,
  address_line1: STREET,
  tax_identification_number: TAX_ID,
  currency: "EUR",
};

async function callEverywhere(): Promise<void> {
  await call("POST", "/customers", { customer });
  for (const marker of MARKERS) {
    const text = encodeURIComponent(marker);
    for (const path of [
      `/customers?search_term=${text}`,
      `/customers/${text}`,
      `/customers/${text}/current_usage?external_subscription_id=${text}`,
      `/invoices?external_customer_id=${text}`,
      `/nowhere/${text}`,
      `/${text}`,
      `/taxes?${text}=1`,
      `/taxes?search_term=%zz${marker.replace(/\P{ASCII}| /gu, "")}`,
    ])
      await call("GET", path);
    await app.inject(`/elsewhere/${text}?x=${text}`);
    await app.inject({ url: `/api/v1/customers/${text}`, method: "DELETE" });
    await call("POST", "/customers", { customer: { external_id: "x", email: marker, [marker]: marker } });
    await call("POST", "/customers", undefined, { raw: `{"customer": "${marker}` });
    await call("POST", "/events", {
      event: { transaction_id: marker, external_subscription_id: marker, code: marker },
    });
    await call("GET", "/taxes", undefined, { headers: { referer: `https://x.example/${text}`, "user-agent": text } });
  }
}

/** An internal failure, which logs its cause. */
async function breakSomething(): Promise<void> {
  const { DATABASE_URL: url } = platform.config;
  await runOn(url, "alter table customers add constraint broken check (false) not valid");
  expect((await call("POST", "/customers", { customer: { ...customer, external_id: NAME } })).status).toBe(500);
  await runOn(url, "alter table customers drop constraint broken");
}

test("no log line holds a name, an email, an address or a tax number, whatever was requested", async () => {
  lines.length = 0;
  await callEverywhere();
  await breakSomething();
  await drain();
  const text = lines.join("");
  expect(lines.length).toBeGreaterThan(100);
  for (const marker of MARKERS) {
    expect(text).not.toContain(marker);
    expect(text).not.toContain(encodeURIComponent(marker));
  }
});

test("no log line holds the signature of a link, and files are logged without the address of who opens them", async () => {
  await call("POST", "/customers", { customer: { external_id: "c", currency: "EUR" } });
  await call("POST", "/add_ons", { add_on: { name: "a", code: "a", amount_cents: 100, amount_currency: "EUR" } });
  const { invoice } = (
    await call("POST", "/invoices", { invoice: { external_customer_id: "c", fees: [{ add_on_code: "a" }] } })
  ).body;
  await call("POST", `/invoices/${invoice.svc_id}/download`);
  await drain();
  const { file_url } = (await call("GET", `/invoices/${invoice.svc_id}`)).body.invoice;
  lines.length = 0;
  const { pathname, search, searchParams } = new URL(file_url);
  const signature = searchParams.get("signature") ?? "";
  expect(signature.length).toBeGreaterThan(20);
  expect((await app.inject(`${pathname}${search}`)).statusCode).toBe(200);
  await app.inject(`${pathname}x${search}`);
  await app.inject(`/no${pathname}${search}`);
  app.log.error({ err: new Error(`could not open ${file_url}`) }, `could not open ${file_url}`);
  const text = lines.join("");
  expect(text).toContain("signature=[redacted]");
  expect(text).not.toContain(signature);
  const opened = lines.map((line) => JSON.parse(line)).find(({ req }) => req?.path?.startsWith("/files/"));
  expect(opened.req).toEqual({
    method: "GET",
    path: expect.stringMatching(/^\/files\/[0-9a-f-]{36}\/[0-9a-f-]{36}\/:name$/),
  });
});

test("what a mail server or the database says is logged without the addresses and values in it", () => {
  lines.length = 0;
  const error = Object.assign(new Error(`550 no mailbox <${EMAIL}>`), {
    detail: `Key (name)=(${NAME}) already exists.`,
    where: `unnamed portal parameter $1 = '${STREET}'`,
    code: "23505",
  });
  app.log.error({ err: error }, "an email could not be prepared");
  const [line = ""] = lines;
  expect(JSON.parse(line).err).toMatchObject({ type: "Error", message: "550 no mailbox <[email]>", code: "23505" });
  for (const marker of MARKERS) expect(line).not.toContain(marker);
});

test("a request is logged by its route, with our own ids", async () => {
  lines.length = 0;
  const id = "018f4a3e-6a2b-7c3d-8e4f-123456789abc";
  await call("GET", `/invoices/${id}?page=2`);
  expect(JSON.parse(lines[0] ?? "").req).toEqual({
    method: "GET",
    path: `/api/v1/invoices/${id}`,
    remoteAddress: "127.0.0.1",
  });
});
