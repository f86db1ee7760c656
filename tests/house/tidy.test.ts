// Checks the repository, as it would be committed, against the rules of the house.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../packages/server/src/platform/clock.ts";
import type { SourceFile, Violation } from "./rule.ts";
import { rules } from "./rules.ts";

const root = join(import.meta.dirname, "../..");

/** Every text file that is committed, or would be by `git add --all`. */
function repositoryFiles(): SourceFile[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  const paths = [...new Set(listed.toString().split("\0"))].filter((path) => path !== "");
  return paths
    .filter((path) => existsSync(join(root, path)) && statSync(join(root, path)).isFile())
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
    .filter((file) => !file.text.includes("\0"));
}

const today = systemClock.now().toZonedDateTimeISO("UTC").toPlainDate().toString();

const report = (reason: string, violations: readonly Violation[]): string =>
  [reason, ...violations.map(({ path, line, found }) => `  ${path}:${line}: ${found}`)].join("\n");

const files = repositoryFiles();

test("the repository has files to check", () => {
  expect(files.map((file) => file.path)).toContain("package.json");
});

test.each(rules)("the repository keeps the rule $name", ({ reason, check }) => {
  const violations = check(files, today);
  if (violations.length > 0) throw new Error(report(reason, violations));
});

test("every TypeScript file is in one of the compilations that CI runs", () => {
  const check = readFileSync(join(root, "scripts/check.ts"), "utf8");
  const projects = [...check.matchAll(/"tsc", "-p", "([^"]+)"/g)].map(([, project = ""]) => project);
  const compiled = new Set(
    projects.flatMap((project) =>
      execFileSync("tsc", ["-p", project, "--listFilesOnly"], { cwd: root }).toString().split("\n"),
    ),
  );
  const sources = files.map(({ path }) => path).filter((path) => /[.]tsx?$/.test(path));
  expect(sources.filter((path) => !compiled.has(join(root, path)))).toEqual([]);
});
