/** Names of real companies in every writing, and the longest that the API takes, leave every page in order. */
import { beforeAll, describe, expect, test } from "vitest";
import { expectFits } from "./layout.ts";
import { modesOr } from "./modes.ts";
import { expectAccessible, openConsole } from "./open-console.ts";

const console = await openConsole(1);
const { id: organization = "" } = console.organizations[0] ?? {};

const UNBREAKABLE = "W".repeat(200);
const NAMES = [
  UNBREAKABLE,
  "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesellschaft mbH & Co. Kommanditgesellschaft auf Aktien",
  "株式会社東京国際精密工業製作所第二営業本部グローバルアカウント推進課関東支店",
  "شركة الأفق الجديد للحوسبة السحابية وتقنية المعلومات والاستشارات الهندسية المحدودة",
  "👩‍👩‍👧‍👦🚀🧾🇳🇱".repeat(12),
];
const LONG_ID = `customer_${"0123456789".repeat(12)}`;

let invoiceId: string;

beforeAll(async () => {
  const { call } = console.service;
  await call("POST", "/add_ons", {
    add_on: { code: "setup", name: UNBREAKABLE, amount_cents: 1_234_567_890, amount_currency: "EUR" },
  });
  const terms = { interval: "monthly", amount_cents: 100, amount_currency: "EUR", pay_in_advance: true };
  await call("POST", "/plans", { plan: { ...terms, code: LONG_ID, name: UNBREAKABLE } });
  for (const [index, name] of NAMES.entries()) {
    const external_customer_id = index === 0 ? LONG_ID : `c${index}`;
    const email = `${"accounts-payable".repeat(4)}@${"subsidiary.".repeat(10)}example`;
    await call("POST", "/customers", {
      customer: { external_id: external_customer_id, name, email, currency: "EUR", address_line1: UNBREAKABLE },
    });
    const subscription = {
      external_customer_id,
      external_id: `${external_customer_id}_main`,
      plan_code: LONG_ID,
      name,
    };
    await call("POST", "/subscriptions", { subscription });
    const { body } = await call("POST", "/invoices", {
      invoice: { external_customer_id, currency: "EUR", fees: [{ add_on_code: "setup", units: "1" }] },
    });
    if (index === 0) invoiceId = body.invoice.svc_id;
  }
});

describe.each(modesOr("light", "dark phone"))("in %s", (mode) => {
  test("lists show the begin of each name, pages the whole of it, and none moves sideways", async () => {
    const { page, faults } = await console.openAs(mode, organization);
    await page.goto(`/o/${organization}/plans`);
    await page.getByText(UNBREAKABLE).first().waitFor();
    await expectFits(page);
    for (const path of ["/invoices", "/customers", "/subscriptions"]) {
      await page.goto(`/o/${organization}${path}`);
      for (const name of NAMES) await page.getByText(name).first().waitFor();
      await expectFits(page);
      await expectAccessible(page);
    }
    for (const path of [
      `/customers/${LONG_ID}`,
      `/subscriptions/${LONG_ID}_main`,
      `/invoices/${invoiceId}`,
      `/plans/${LONG_ID}`,
      `/plans/${LONG_ID}/edit`,
    ]) {
      await page.goto(`/o/${organization}${path}`);
      await page.getByRole("heading", { level: 1, name: UNBREAKABLE }).waitFor();
      await page.waitForLoadState("networkidle");
      await expectFits(page);
    }
    expect(faults).toEqual([]);
  });
});
