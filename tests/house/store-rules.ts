// Rules on SQL in modules.

import type { Rule, SourceFile, Violation } from "./rule.ts";
import { codeOf, commentsOf, isCode, occurrences, withoutComments } from "./source-text.ts";

const BUILDER = String.raw`\b(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\s*(?:<[^>]*>)?\s*\(`;
const TEMPLATE = String.raw`\bsql\s*(?:<[^\x60]*>)?\s*\x60`;

const ANY_SQL = new RegExp(`${BUILDER}|${TEMPLATE}`, "g");

/** Matches what reads or writes a table by its name. Fragments, lists of values and queries over queries do not count. */
const TABLE_BY_BUILDER = new RegExp(String.raw`${BUILDER}\s*[["'\x60]`);
const TABLE_BY_NAME =
  /\b(?<!(?:distinct|epoch) )(?:from|join|into|update|truncate|lock table|lock)\s+(?:only\s+)?(?!unnest\()["a-z_]/i;

const namesTable = (code: string): boolean =>
  TABLE_BY_BUILDER.test(code) || (code.match(ANY_SQL) !== null && TABLE_BY_NAME.test(code));

const MODULE_STORE = /^packages\/server\/src\/modules\/([^/]+\/)+store\.ts$/;
const LAYER_STORE = /^packages\/server\/src\/(http|jobs)\/([^/]+\/)*([^/]+-)?store\.ts$/;

/** How a comment marks an intended exception. The table of organizations has its organization_id in `id`. */
const ON_PURPOSE = /\bover (all organizations|every organization_id)\b|\borganization_id = id\b/i;

/** The lines, counted from 0, where a top-level declaration begins, including its doc comment. */
function declarationStarts(file: SourceFile): number[] {
  const code = codeOf(file).split("\n");
  const comments = commentsOf(file).split("\n");
  const isDeclaration = (line: string) => /^(export\s+)?(async\s+)?(function|const|let|class)\b/.test(line);
  return code.flatMap((line, index) => {
    if (!isDeclaration(line)) return [];
    let start = index;
    while (start > 0 && code[start - 1]?.trim() === "" && comments[start - 1]?.trim() !== "") start--;
    return [start];
  });
}

function queriesOfEveryone(file: SourceFile): Violation[] {
  const starts = declarationStarts(file);
  const text = withoutComments(file).split("\n");
  const comments = commentsOf(file).split("\n");
  return starts.flatMap((start, index) => {
    const part = (lines: string[]) => lines.slice(start, starts[index + 1]).join("\n");
    if (!namesTable(part(text)) || /\borganization_id\b/.test(part(text)) || ON_PURPOSE.test(part(comments))) return [];
    const first = part(text).trim().split("\n")[0] ?? "";
    return [{ path: file.path, line: start + 1, found: first }];
  });
}

const organizationInEveryQuery: Rule = {
  name: "organization-in-every-query",
  reason:
    "A query without organization_id reads or changes the data of all organizations. " +
    "If that is intended, its comment says: Over all organizations, and why.",
  check: (files) =>
    files.filter((file) => MODULE_STORE.test(file.path) || LAYER_STORE.test(file.path)).flatMap(queriesOfEveryone),
};

const sqlOnlyInStores: Rule = {
  name: "sql-only-in-stores",
  reason: "All SQL of a module is in its store.ts, where the tenant filter, the locks and the columns are reviewed.",
  check: (files) =>
    files
      .filter(
        (file) => isCode(file) && file.path.startsWith("packages/server/src/modules/") && !MODULE_STORE.test(file.path),
      )
      .flatMap((file) => occurrences(file, codeOf(file), ANY_SQL)),
};

export const storeRules: readonly Rule[] = [organizationInEveryQuery, sqlOnlyInStores];
