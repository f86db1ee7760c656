// What a client generates from the API description has a type for every resource, and compiles with today's and the last TypeScript.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, test } from "vitest";
import { root } from "../doors/door.ts";

const RESOURCES = [
  "AddOn",
  "AppliedCoupon",
  "BillableMetric",
  "Charge",
  "ChargeFilter",
  "Coupon",
  "Credit",
  "CreditNote",
  "CreditNoteItem",
  "Customer",
  "CustomerUsage",
  "Event",
  "Fee",
  "FeeExplanation",
  "HeldInvoice",
  "Invoice",
  "InvoiceExplanation",
  "InvoicePreview",
  "InvoiceVerification",
  "Mail",
  "Organization",
  "ParkedItem",
  "Plan",
  "Subscription",
  "Tax",
  "TestClock",
  "Wallet",
  "WalletTransaction",
  "Webhook",
  "WebhookAttempt",
  "WebhookEndpoint",
  "WebhookReplay",
];

/** What a client writes: values of resources, answers of operations, refusals, messages. The last two lines must not compile. */
const SAMPLE = `
import type { Charge, Error as Refusal, Event, Invoice, operations, PlanCreate, webhooks } from "./api.ts";

type Json<Of extends { content: { "application/json": unknown } }> = Of["content"]["application/json"];
type Shown = Json<operations["getInvoice"]["responses"][200]>;
type Message = Json<webhooks["invoice.created"]["post"]["requestBody"] & {}>;

export const due = ({ invoice }: Shown): number => invoice.total_due_amount_cents;
export const reasons = (events: readonly Event[]): (string | null)[] => events.map(({ reason }) => reason);
export const metricOf = ({ billable_metric_code }: Charge): string => billable_metric_code;
export const paths = ({ errors = [] }: Refusal): string[] => errors.map(({ path }) => path);
export const idIn = ({ webhook_type, object_type }: Message): string => webhook_type + object_type;
export const plan: PlanCreate = {
  name: "Start",
  code: "start",
  interval: "monthly",
  amount_cents: 1000,
  amount_currency: "EUR",
  pay_in_advance: false,
  charges: [{ billable_metric_code: "calls", charge_model: "standard", properties: { amount: "0.10" } }],
};
export const filter: operations["listInvoices"]["parameters"]["query"] = { status: ["draft"], limit: 10 };
// @ts-expect-error: a misspelled member
export const misspelled = (invoice: Invoice) => invoice.total_amount_cent;
// @ts-expect-error: a value that the API refuses
export const daily: PlanCreate["interval"] = "daily";
`;

const folder = mkdtempSync(join(tmpdir(), "api-types-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** In the folder, so that no settings of this repository apply. */
const run = (...command: string[]): string =>
  execFileSync(process.execPath, command, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

const generator = join(root, "tools/api-types/node_modules/openapi-typescript/bin/cli.js");
const names = ["--root-types", "--root-types-no-schema-prefix"];
run(generator, join(root, "docs/reference/openapi.json"), ...names, "--output", "api.ts");
const types = readFileSync(join(folder, "api.ts"), "utf8");

test("every resource of the API has a type of its name", () => {
  const exported = new Set(
    Array.from(types.matchAll(/^export type (\w+) = components\['schemas'\]/gm), ([, name]) => name),
  );
  expect(exported.size).toBeGreaterThan(RESOURCES.length);
  expect(RESOURCES.filter((name) => !exported.has(name))).toEqual([]);
});

it.each([
  ["TypeScript 7", "node_modules/typescript"],
  ["TypeScript 5", "tools/api-types/node_modules/typescript"],
])("the types compile with %s, and refuse a misspelled member and a value that the API refuses", (_, compiler) => {
  writeFileSync(join(folder, "sample.ts"), SAMPLE);
  const options = [
    "--strict",
    "--noEmit",
    "--allowImportingTsExtensions",
    "--module",
    "nodenext",
    "--target",
    "es2024",
  ];
  expect(compile(join(root, compiler, "bin/tsc"), options)).toBe("");
});

/** What the compiler objects to. */
function compile(compiler: string, options: readonly string[]): string {
  try {
    return run(compiler, ...options, "sample.ts");
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
