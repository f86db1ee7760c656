// A tree shaped like the repository: the allowed imports, and for each rule of .dependency-cruiser.cjs one that breaks it.

import type { Tree } from "./fixture.ts";

const CLI = "packages/cli/src";
const CLIENT = "packages/client/src";
const CONSOLE = "packages/console/src";
const SERVER = "packages/server/src";

const manifest = (content: object): string => JSON.stringify({ version: "1.0.0", ...content });

const installed = (name: string): Tree => ({
  [`node_modules/${name}/package.json`]: manifest({ name, main: "index.js" }),
  [`node_modules/${name}/index.js`]: "module.exports = {};",
});

/** Allowed imports, which must not be reported. */
export const allowedTree: Tree = {
  ...installed("big.js"),
  ...installed("vitest"),
  ...installed("fast-check"),
  ...installed("fastify"),
  ...installed("nodemailer"),
  ...installed("stray"),
  ...installed("chdb"),
  "package.json": manifest({
    workspaces: ["packages/*"],
    devDependencies: { vitest: "1.0.0", "fast-check": "1.0.0", chdb: "1.0.0" },
  }),
  "packages/core/package.json": manifest({
    name: "@tallystick/core",
    dependencies: { "big.js": "1.0.0" },
    exports: { "./money": "./src/money/index.ts", "./time": "./src/time/index.ts" },
  }),
  "packages/server/package.json": manifest({
    dependencies: { "@tallystick/core": "1.0.0", fastify: "1.0.0", nodemailer: "1.0.0" },
  }),
  [`${CLI}/program.ts`]:
    'import "../../client/src/index.ts"; export const start = () => import("../../server/src/main/migrate.ts");',
  [`${CLIENT}/index.ts`]: 'export { call } from "./http.ts";',
  [`${CLIENT}/http.ts`]: "export const call = 1;",
  [`${CLIENT}/http.test.ts`]: 'import "vitest"; import "./testing/serve.ts"; import { call } from "./http.ts"; call;',
  [`${CLIENT}/testing/serve.ts`]:
    'import "vitest"; import "node:http"; import "../../../server/src/testing/service.ts";',
  [`${CLIENT}/spool/index.ts`]: 'import "node:fs"; export { call } from "../http.ts";',
  [`${CONSOLE}/app/main.ts`]: 'import "../slices/invoices/index.ts"; import "../ui/figure.ts";',
  [`${CONSOLE}/slices/invoices/index.ts`]: 'import "../../api/call.ts"; import "./page.ts";',
  [`${CONSOLE}/slices/invoices/page.ts`]: 'import "../customers/parts.ts"; import "../../ui/figure.ts";',
  [`${CONSOLE}/slices/customers/parts.ts`]: 'export { page } from "./page.ts";',
  [`${CONSOLE}/slices/customers/page.ts`]: "export const page = 1;",
  [`${CONSOLE}/api/call.ts`]: 'import "../../../client/src/index.ts";',
  [`${CONSOLE}/ui/figure.ts`]: 'import "@tallystick/core/money";',
  "packages/core/src/money/index.ts": 'export { decimal } from "./decimal.ts";',
  "packages/core/src/money/decimal.ts": 'import Big from "big.js"; export const decimal = Big;',
  "packages/core/src/money/decimal.test.ts":
    'import "vitest"; import fc from "fast-check"; import { decimal } from "./index.ts"; fc(decimal);',
  "packages/core/src/time/index.ts": 'export { decimal } from "../money/index.ts";',
  "packages/second-opinion/src/index.ts": 'export { result } from "./recompute-invoice.ts";',
  "packages/second-opinion/src/recompute-invoice.ts": "export const result = 1;",
  [`${SERVER}/platform/clock.ts`]: 'import "@tallystick/core/time"; export const clock = 1;',
  [`${SERVER}/platform/mail/send.ts`]: 'import "nodemailer"; import "../clock.ts";',
  [`${SERVER}/platform/declared.d.ts`]: "export type Declared = 1;",
  [`${SERVER}/http/server.ts`]:
    'import "fastify"; import { clock } from "../platform/clock.ts"; export const server = clock;',
  [`${SERVER}/jobs/queue.ts`]:
    'import "node:fs"; import { clock } from "../platform/clock.ts"; export const queue = clock;',
  [`${SERVER}/modules/coupons/index.ts`]: 'export { routes } from "./routes.ts";',
  [`${SERVER}/modules/coupons/routes.ts`]:
    'import "../../http/server.ts"; import "../../jobs/queue.ts"; import { find } from "./store.ts"; export const routes = find;',
  [`${SERVER}/modules/coupons/store.ts`]:
    'import type { decimal } from "@tallystick/core/money"; export const find = 1;',
  [`${SERVER}/modules/coupons/coupons.test.ts`]:
    'import "vitest"; import "../../testing/service.ts"; import { find } from "./store.ts"; find;',
  [`${SERVER}/testing/service.ts`]: 'import "vitest"; import "../main/config.ts";',
  [`${SERVER}/modules/invoices/index.ts`]: 'export { routes } from "../coupons/index.ts";',
  [`${SERVER}/main/api.ts`]:
    'import "../modules/coupons/index.ts"; import "../modules/invoices/index.ts"; import "./config.ts";',
  [`${SERVER}/main/config.ts`]: "export const config = 1;",
  [`${SERVER}/main/verify.ts`]: 'import "../verify/index.ts";',
  [`${SERVER}/verify/index.ts`]: 'import "node:fs"; import "../platform/clock.ts"; import "./read.ts";',
  [`${SERVER}/verify/read.ts`]: "export const read = 1;",
  [`${SERVER}/verify/verify.test.ts`]: 'import "../testing/service.ts"; import "./index.ts";',
  [`${SERVER}/modules/coupons/promises.test.ts`]: 'import "../../verify/index.ts";',
  [`${SERVER}/main/migrate.ts`]: "export const stands = 'alone';",
  "tools/engine/main.ts": 'import "chdb"; import "./serve.ts";',
  "tools/engine/serve.ts": "export const serve = 1;",
  "scripts/dev.ts": "export const dev = 1;",
  "prove/proof.ts": 'import "../packages/server/src/main/api.ts";',
  "tests/api.test.ts": 'import "vitest"; import "../packages/server/src/main/api.ts"; import "@tallystick/core/money";',
};

/** For each rule: the files that break it. A type-only import breaks a rule like any other. */
export const dependencyPlants: Readonly<Record<string, Tree>> = {
  "testing-only-for-tests": {
    [`${SERVER}/modules/coupons/plant-testing.ts`]: 'import "../../testing/service.ts";',
  },
  "client-imports-only-itself": {
    [`${CLIENT}/plant-a.ts`]: 'import "big.js";',
    [`${CLIENT}/plant-b.ts`]: 'import type { clock } from "../../server/src/platform/clock.ts";',
  },
  "client-uses-no-builtin": { [`${CLIENT}/plant-c.ts`]: 'import { readFileSync } from "node:fs";' },
  "client-without-spool": { [`${CLIENT}/plant-d.ts`]: 'import { call } from "./spool/index.ts";' },
  "client-is-not-in-the-service": { [`${SERVER}/http/plant-client.ts`]: 'import "../../../client/src/index.ts";' },
  "core-imports-only-itself": {
    "packages/core/src/money/plant-a.ts": 'import "fastify";',
    "packages/core/src/money/plant-b.ts": 'import type { server } from "../../../server/src/http/server.ts";',
    "packages/core/src/money/plant-c.ts": 'import fc from "fast-check";',
  },
  "core-tests-import-only-test-tools": { "packages/core/src/money/plant.test.ts": 'import "fastify";' },
  "core-uses-no-builtin": {
    "packages/core/src/time/plant-a.ts": 'import { readFileSync } from "node:fs";',
    "packages/core/src/time/plant-b.test.ts": 'import os from "os";',
  },
  "core-only-through-stage-doors": {
    [`${SERVER}/modules/coupons/plant-a.ts`]: 'import type { decimal } from "../../../../core/src/money/decimal.ts";',
    "tests/plant-b.test.ts": 'import { decimal } from "../packages/core/src/money/decimal.ts";',
  },
  "second-opinion-imports-only-itself": {
    "packages/second-opinion/src/plant-a.ts": 'import type { decimal } from "@tallystick/core/money";',
    "packages/second-opinion/src/plant-b.ts": 'import { readFileSync } from "node:fs";',
  },
  "core-knows-no-second-opinion": {
    "packages/core/src/money/plant-d.ts": 'import { result } from "../../../second-opinion/src/index.ts";',
  },
  "foundation-never-imports-modules": {
    [`${SERVER}/http/plant-a.ts`]: 'import type { routes } from "../modules/coupons/index.ts";',
    [`${SERVER}/jobs/plant-a.ts`]: 'import { routes } from "../modules/coupons/index.ts";',
    [`${SERVER}/platform/plant-a.ts`]: 'export * from "../modules/coupons/index.ts";',
  },
  "http-never-imports-jobs": { [`${SERVER}/http/plant-b.ts`]: 'import type { queue } from "../jobs/queue.ts";' },
  "platform-imports-neither-http-nor-jobs": {
    [`${SERVER}/platform/plant-b.ts`]: 'import { server } from "../http/server.ts";',
    [`${SERVER}/platform/plant-c.ts`]: 'import type { queue } from "../jobs/queue.ts";',
  },
  "verify-stands-on-platform": {
    [`${SERVER}/verify/plant-a.ts`]: 'import type { routes } from "../modules/coupons/index.ts";',
    [`${SERVER}/verify/plant-b.ts`]: 'import { queue } from "../jobs/queue.ts";',
    [`${SERVER}/verify/plant-c.ts`]: 'import { decimal } from "@tallystick/core/money";',
  },
  "verify-only-for-commands-and-tests": {
    [`${SERVER}/modules/coupons/plant-d.ts`]: 'import "../../verify/index.ts";',
    [`${SERVER}/platform/plant-d.ts`]: 'import "../verify/index.ts";',
  },
  "cli-starts-programs": {
    [`${CLI}/plant-a.ts`]: 'import "../../server/src/platform/clock.ts";',
    [`${CLI}/plant-b.ts`]: 'const lazy = () => import("../../server/src/http/server.ts");',
  },
  "console-imports-core-and-client": {
    [`${CONSOLE}/api/plant-a.ts`]: 'import "../../../server/src/platform/clock.ts";',
    [`${CONSOLE}/ui/plant-a.ts`]: 'import type { result } from "../../../second-opinion/src/index.ts";',
  },
  "console-slice-only-through-its-doors": {
    [`${CONSOLE}/slices/invoices/plant-b.ts`]: 'import "../customers/page.ts";',
  },
  "console-ui-knows-no-slice": {
    [`${CONSOLE}/ui/plant-c.ts`]: 'import "../slices/customers/parts.ts";',
    [`${CONSOLE}/format/plant-c.ts`]: 'import "../api/call.ts";',
  },
  "console-slices-know-no-app": { [`${CONSOLE}/slices/invoices/plant-d.ts`]: 'import "../../app/main.ts";' },
  "console-is-imported-by-nobody": {
    [`${SERVER}/platform/plant-console.ts`]: 'import "../../../console/src/ui/figure.ts";',
    "scripts/plant-console.ts": 'import "../packages/console/src/ui/figure.ts";',
  },
  "cli-is-imported-by-nobody": {
    [`${SERVER}/http/plant-cli.ts`]: 'import "../../../cli/src/program.ts";',
  },
  "main-is-imported-by-nobody": {
    [`${SERVER}/modules/coupons/plant-c.ts`]: 'import { config } from "../../main/config.ts";',
    [`${SERVER}/http/plant-c.ts`]: 'import type { config } from "../main/config.ts";',
    [`${SERVER}/modules/coupons/plant-c.test.ts`]: 'import { config } from "../../main/config.ts";',
  },
  "module-only-through-its-index": {
    [`${SERVER}/modules/invoices/plant-a.ts`]: 'import { find } from "../coupons/store.ts";',
    [`${SERVER}/modules/invoices/plant-b.ts`]: 'import type { find } from "../coupons/store.ts";',
    [`${SERVER}/modules/invoices/plant-c.test.ts`]: 'const lazy = () => import("../coupons/store.ts");',
  },
  "mail-leaves-through-platform": {
    [`${SERVER}/modules/coupons/plant-e.ts`]: 'import { createTransport } from "nodemailer";',
  },
  "main-enters-modules-through-index": {
    [`${SERVER}/main/plant-a.ts`]: 'import { find } from "../modules/coupons/store.ts";',
  },
  "no-cycles": {
    [`${SERVER}/modules/coupons/plant-round.ts`]:
      'import type { about } from "./plant-about.ts"; export type round = 1;',
    [`${SERVER}/modules/coupons/plant-about.ts`]: 'import { round } from "./plant-round.ts"; export type about = 1;',
  },
  "no-orphans": { [`${SERVER}/platform/plant-forgotten.ts`]: "export const forgotten = 1;" },
  "packages-stand-alone": {
    [`${SERVER}/jobs/plant-b.ts`]: 'import { dev } from "../../../../scripts/dev.ts";',
    [`${SERVER}/jobs/plant-c.test.ts`]: 'import "../../../../tests/api.test.ts";',
    [`${SERVER}/jobs/plant-d.ts`]: 'import "../../../../prove/proof.ts";',
  },
  "the-engine-is-for-development": {
    [`${SERVER}/testing/plant-a.ts`]: 'import "../../../../tools/engine/serve.ts";',
    [`${SERVER}/platform/plant-e.test.ts`]: 'import type { Session } from "chdb";',
    "prove/plant-engine.ts": 'import { serve } from "../tools/engine/serve.ts";',
  },
  "no-dev-dependency-in-sources": { [`${SERVER}/http/plant-d.ts`]: 'import { expect } from "vitest";' },
  "no-undeclared-dependency": { [`${SERVER}/http/plant-e.ts`]: 'import "stray";' },
  "no-unresolvable-import": {
    [`${SERVER}/http/plant-f.ts`]: 'import "./nowhere.ts";',
    [`${SERVER}/http/plant-g.ts`]: 'import "@tallystick/core/money/decimal";',
  },
};
