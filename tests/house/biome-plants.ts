// For each rule that biome.json turns on by name: a file that breaks it. Then files that must pass.

import type { Tree } from "./fixture.ts";

const CORE = "packages/core/src/money";
const SERVER = "packages/server/src";

const longFunction = `export function long() {\n${"  doIt();\n".repeat(61)}}\n`;

export const biomePlants: Readonly<Record<string, Tree>> = {
  "complexity/noExcessiveLinesPerFunction": { [`${SERVER}/jobs/long.ts`]: longFunction },
  "complexity/useMaxParams": {
    [`${SERVER}/jobs/params.ts`]: "export const f = (a: 1, b: 2, c: 3, d: 4, e: 5) => [a, b, c, d, e];",
  },
  "correctness/noUnusedFunctionParameters": { [`${SERVER}/jobs/parameter.ts`]: "export const f = (a: 1) => 1;" },
  "correctness/noUnusedImports": { [`${SERVER}/jobs/import.ts`]: 'import { a } from "./a.ts";' },
  "correctness/noUnusedPrivateClassMembers": { [`${SERVER}/jobs/member.ts`]: "export class A { #a = 1; }" },
  "correctness/noUnusedVariables": { [`${SERVER}/jobs/variable.ts`]: "const a = 1;" },
  "nursery/noFloatingPromises": {
    [`${SERVER}/jobs/floating.ts`]: "async function f() { await 1; }\nexport function g() { f(); }",
    [`${SERVER}/jobs/floating-import.ts`]: 'import { load } from "./load.ts";\nexport function g() { load(); }',
  },
  "nursery/noJsRestrictedProperties": {
    [`${SERVER}/jobs/now.ts`]: "export const now = () => Temporal.Now.instant();",
    [`${CORE}/now.ts`]: "export const now = () => Temporal.Now.instant();",
    [`${CORE}/random.ts`]: "export const random = () => Math.random();",
  },
  "style/noDefaultExport": { [`${SERVER}/jobs/default.ts`]: "export default 1;" },
  "style/noEnum": { [`${SERVER}/jobs/enum.ts`]: "export enum State { draft = 1 }" },
  "style/noNamespace": { [`${SERVER}/jobs/namespace.ts`]: "export namespace A { export const a = 1; }" },
  "style/noNonNullAssertion": { [`${SERVER}/jobs/assertion.ts`]: "export const f = (a: string | null) => a!;" },
  "style/noParameterAssign": { [`${SERVER}/jobs/assign.ts`]: "export function f(a: number) { a = 2; return a; }" },
  "style/noParameterProperties": {
    [`${SERVER}/jobs/property.ts`]: "export class A { constructor(readonly a: string) {} }",
  },
  "style/noRestrictedGlobals": {
    [`${SERVER}/jobs/date.ts`]: "export const now = () => new Date();",
    [`${SERVER}/main/date.ts`]: "export const now = () => Date.now();",
    "tests/date.test.ts": "export const now = () => Date.now();",
  },
  "style/useConst": { [`${SERVER}/jobs/let.ts`]: "let a = 1;\nexport const b = a;" },
  "style/useExportType": { [`${SERVER}/jobs/export-type.ts`]: 'import type { A } from "./a.ts";\nexport { A };' },
  "style/useImportType": {
    [`${SERVER}/jobs/import-type.ts`]: 'import { A } from "./a.ts";\nexport const f = (a: A): A => a;',
  },
  "style/useNodejsImportProtocol": { [`${SERVER}/jobs/protocol.ts`]: 'import fs from "fs";\nfs.readdirSync(".");' },
  "style/useThrowOnlyError": { [`${SERVER}/jobs/throw.ts`]: 'export function f() { throw "no"; }' },
  "suspicious/noConsole": { [`${SERVER}/jobs/console.ts`]: 'console.log("a");' },
  "suspicious/noEvolvingTypes": { [`${SERVER}/jobs/evolving.ts`]: "let a;\na = 1;\nexport { a };" },
  "suspicious/noExplicitAny": { [`${SERVER}/jobs/any.ts`]: "export const f = (a: any): string => a;" },
  "suspicious/noFocusedTests": { [`${SERVER}/jobs/focused.test.ts`]: 'test.only("a", () => {});' },
  "suspicious/noSkippedTests": { [`${SERVER}/jobs/skipped.test.ts`]: 'test.skip("a", () => {});' },
  "suspicious/noTsIgnore": { [`${SERVER}/jobs/ignore.ts`]: "// @ts-ignore\nexport const a: string = 1;" },
  "suspicious/noVar": { [`${SERVER}/jobs/var.ts`]: "export var a = 1;" },
};

/** Files that the overrides allow, and generated files. */
export const biomeAllowed: Tree = {
  "vitest.config.ts": "export default {};",
  [`${SERVER}/jobs/load.ts`]: "export async function load() { await 1; }",
  [`${SERVER}/main/api.ts`]: 'console.log("listening");',
  "scripts/dev.ts": 'console.log("ready");',
  "prove/proof.ts": 'console.log("proved");',
  "bench/ingest.ts": 'console.log("fast");',
  [`${SERVER}/platform/clock.ts`]: "export const now = () => [Temporal.Now.instant(), Date.now()];",
  [`${SERVER}/platform/dates.ts`]: 'export const on = () => Temporal.PlainDate.from("2026-01-31");',
  [`${SERVER}/platform/postgres/schema.ts`]: "export type A = any;",
  ".data/left.ts": "export default 1 as any;",
  "docs/reference/example.ts": "export default 1 as any;",
  "tests/long.test.ts": longFunction,
};
