// Rules on words, in code and in all other committed text.

import { noDialect } from "./dialect-rule.ts";
import type { Rule, SourceFile } from "./rule.ts";
import { commentsOf, isCode, occurrences } from "./source-text.ts";

const remarksOf = (file: SourceFile): string => (isCode(file) ? commentsOf(file) : file.text);

const datedTodos: Rule = {
  name: "dated-todos",
  reason: "A TODO has a date in the future, TODO(2027-01-31): what; after it, do it or delete it.",
  check: (files, today) =>
    files
      .filter((file) => isCode(file) || file.path.endsWith(".sql"))
      .flatMap((file) => occurrences(file, remarksOf(file), /\bTODO\b[^\n]*/g))
      .filter(({ found }) => {
        const date = /^TODO\((\d{4}-\d{2}-\d{2})\): \S/.exec(found)?.[1];
        return date === undefined || date <= today;
      }),
};

const FORBIDDEN_WORDS = [
  /(?<![\w.~-])\/(work|root|home)\//g,
  /\bregistry\.npmjs\.org\b|https?:\/\/[^\s"'`<>)]*registry/g,
  /\bfarm[-]studio\b|\bduplicates[ ]--change\b/g,
];

const noMachineNames: Rule = {
  name: "no-machine-names",
  reason: "A path, a package registry or a tool of one machine means nothing to a stranger who clones the repository.",
  check: (files) =>
    files.flatMap((file) => FORBIDDEN_WORDS.flatMap((pattern) => occurrences(file, file.text, pattern))),
};

export const textRules: readonly Rule[] = [datedTodos, noMachineNames, noDialect];
