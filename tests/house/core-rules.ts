// A rule on the doors of core: what a stage exports is used by the product.

import { dirname, normalize } from "node:path";
import type { Rule, SourceFile, Violation } from "./rule.ts";
import { importsOf, isCode, isTest } from "./source-text.ts";

const CORE = "packages/core/src";
const DOOR = new RegExp(`^${CORE}/([^/]+)/index\\.ts$`);

/** References that the stores of events are tested against, in a contract of the server and in campaigns. */
const REFERENCES: ReadonlySet<string> = new Set(["usage/splitUsage", "usage/takesAway"]);

/** Files that a user runs: what exists for tests is left out. */
const isProduct = (file: SourceFile): boolean =>
  file.path.startsWith("packages/") &&
  isCode(file) &&
  !isTest(file) &&
  !/\/testing\/|\/(samples|[\w-]+-samples)\.ts$/.test(file.path);

/** The stage of core that an import leads into, or undefined. */
function stageOf(file: SourceFile, from: string): string | undefined {
  const [, byName] = /^@tallystick\/core\/([\w-]+)$/.exec(from) ?? [];
  return byName ?? DOOR.exec(normalize(`${dirname(file.path)}/${from}`))?.[1];
}

/** The values in `{ a, type B, c as d }`, as the other file exports them. Types are left to knip: signatures need them. */
const valuesIn = (clause: string): string[] =>
  (/^\{([^}]*)\}/.exec(clause)?.[1] ?? "")
    .split(",")
    .map((name) => name.trim().split(/\s+/))
    .flatMap(([name = "", ...rest]) => (name === "" || (name === "type" && rest.length > 0) ? [] : [name]));

const exportsHaveProductUse: Rule = {
  name: "core-exports-have-product-use",
  reason:
    "A stage of core exports what the server or another stage calls. A test beside the code imports the file; delete what only tests call.",
  check: (files) => {
    const used = new Set(
      files.filter(isProduct).flatMap((file) =>
        importsOf(file).flatMap(({ from, clause }) => {
          const stage = stageOf(file, from);
          if (stage === undefined || file.path.startsWith(`${CORE}/${stage}/`)) return [];
          return valuesIn(clause).map((name) => `${stage}/${name}`);
        }),
      ),
    );
    return files.flatMap((file): Violation[] => {
      const [, stage] = DOOR.exec(file.path) ?? [];
      if (stage === undefined) return [];
      return importsOf(file).flatMap(({ clause, line }) =>
        valuesIn(clause)
          .filter((name) => !used.has(`${stage}/${name}`) && !REFERENCES.has(`${stage}/${name}`))
          .map((found) => ({ path: file.path, line, found })),
      );
    });
  },
};

export const coreRules: readonly Rule[] = [exportsHaveProductUse];
