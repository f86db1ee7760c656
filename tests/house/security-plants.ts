// Planted violations of security-rules.ts.

import type { Plant, SourceFile } from "./rule.ts";

const file = (path: string, ...lines: string[]): SourceFile => ({ path, text: lines.join("\n") });

const TEST = file("packages/server/src/http/limits.test.ts", 'test("a body is small", async () => {});');
const page = (...lines: string[]): SourceFile => file("docs/security/attacks.md", ...lines);

const SECURITY = file(
  "SECURITY.md",
  "## Measures",
  "",
  "**Keys.** A key is",
  "hashed. See [x](y.md).",
  "",
  "| Limit | Value |",
);
const measures = (...lines: string[]): SourceFile => file("docs/security/measures.md", ...lines);
const limit: SourceFile = { ...SECURITY, text: `${SECURITY.text}\n|---|---|\n| body | 1 MB |` };

const lock = (place: string, entry: object): SourceFile =>
  file("package-lock.json", JSON.stringify({ packages: { "": {}, [place]: entry } }));
const PG = "node_modules/pg";
const scripts = file("package.json", '{ "allowScripts": { "pg": false } }');
const integrity = "sha512-abc";

export const securityPlants: Readonly<Record<string, Plant>> = {
  "named-tests-exist": {
    caught: [
      [TEST, page('| big body | `http/limits.test.ts` "a body is large" |')],
      [TEST, page('| big body | `http/limit.test.ts` "a body is small" |')],
      [TEST, page("| big body | `http/limits.test.ts` |")],
      [page("| ids | `platform/new-id.ts` |")],
    ],
    clean: [
      [TEST, page('| big body | `http/limits.test.ts` "a body is small" |')],
      [TEST, page('| big body | `packages/server/src/http/limits.test.ts` "a body is small" |')],
    ],
  },
  "every-measure-is-shown": {
    caught: [
      [SECURITY],
      [SECURITY, measures("| A key is stored. | `a` |")],
      [SECURITY, measures("| A key is hashed. | by hope |")],
      [limit, measures("| A key is hashed. | `a` |")],
    ],
    clean: [
      [SECURITY, measures("| Claim | Shown by |", "|---|---|", "| A key is hashed. | `a` |")],
      [limit, measures("| A `key` is hashed. | `a` |", "| body: 1 MB | `b` |")],
    ],
  },
  "whole-lockfile": {
    caught: [
      [lock(PG, { version: "8.0.0" }), scripts],
      [lock(PG, { version: "8.0.0", integrity: "sha1-abc" }), scripts],
      [lock(PG, { version: "8.0.0", integrity, resolved: "git+ssh://git@example.com/pg.git" }), scripts],
      [lock("node_modules/other", { version: "8.0.0", integrity, hasInstallScript: true }), scripts],
      [lock("node_modules/@chdb/lib-darwin-x64", { version: "1.0.0", integrity }), scripts],
    ],
    clean: [
      [lock(PG, { version: "8.0.0", integrity, hasInstallScript: true }), scripts],
      [lock("node_modules/alias", { name: "pg", version: "8.0.0", integrity, hasInstallScript: true }), scripts],
      [lock("node_modules/@tallystick/core", { resolved: "packages/core", link: true }), scripts],
      [lock("node_modules/@chdb/lib-darwin-x64", { version: "1.0.0" }), scripts],
    ],
  },
  "sql-is-bound": {
    caught: [
      [file("packages/server/src/modules/catalogue/taxes/store.ts", "const q = sql.raw(name);")],
      [file("packages/server/src/jobs/due-store.ts", "const q = sql.lit(name);")],
    ],
    clean: [
      [file("packages/server/src/modules/catalogue/taxes/store.ts", "const q = sql`select 1`;")],
      [file("packages/server/src/http/page-of.ts", "const q = sql.raw(type);")],
    ],
  },
};
