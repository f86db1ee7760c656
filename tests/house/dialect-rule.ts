// Private words for things that have a term of the trade. A reader must not have to learn them.

import type { Rule, SourceFile, Violation } from "./rule.ts";
import { occurrences } from "./source-text.ts";

/** Each pattern with the words to use instead. */
const DIALECT: readonly (readonly [pattern: RegExp, say: string])[] = [
  [/\bwish(?:es|ed|ing)?\b/gi, "request, query, input or options"],
  [/\bopin(?:e|es|ed|ing)\b/gi, "recompute"],
  [/(?<!\bsecond[\s-])\bopinions?\b/gi, "recomputation; only the feature is called second opinion"],
  [/\bin\s+(?:step|company)\b/gi, "batched, or in one batch"],
  [/\bstanding\b/gi, "status"],
  [/\bin\s+the\s+making\b/gi, "incomplete, or in generation"],
  [/\btold\b|\btell(?:s|ing)?\s+of\b/gi, "published, notified or reported"],
  [/\bhand(?:s|ed|ing)?\s+over\b/gi, "dispatch or deliver"],
  [/\bma(?:d|k)e?(?:s|ing)?\s+again\b|\banew\b/gi, "recomputed, rebuilt or repeated"],
  [/\bmend(?:s|ed|ing)?\b/gi, "fix or repair"],
  [/\bforet(?:ell(?:s|ing)?|old)\b/gi, "predict"],
  [/\blet(?:s|ting)?(?:\s+(?:it|them))?\s+go\b/gi, "release"],
  [/\bcuts?\b/gi, "snapshot of events; drop a connection; split a span"],
  [/\blanes?\b/gi, "queue"],
  [/\bfor\s+ever\b/gi, "forever"],
  [/\b(?:behaviour|catalogue|colour|favour|honour|licence|neighbour)s?\b|\bcancelled\b/gi, "the American spelling"],
];

/** Pages that may still contain such words, each with its reason; a name that ends in a slash is a folder. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "docs/reference/errors.md": "generated from texts of the source, which this rule does not read yet",
  "docs/reference/webhooks.md": "generated from texts of the source, which this rule does not read yet",
  "docs/evidence.md": "generated from records of runs, which are kept as they were printed",
};

const isException = ({ path }: SourceFile): boolean => path in EXCEPTIONS;

const blank = (text: string): string => text.replaceAll(/[^\n]/g, " ");

/** The page with code and link targets blanked; lines and columns stay the same. */
const proseOf = ({ text }: SourceFile): string =>
  text
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, blank)
    .replaceAll(/`[^`\n]*`/g, blank)
    .replaceAll(/\]\([^)\s]+\)/g, blank);

const withAdvice =
  (say: string) =>
  (violation: Violation): Violation => ({ ...violation, found: `${violation.found} (say: ${say})` });

export const noDialect: Rule = {
  name: "no-dialect",
  reason: "A page for people uses plain American English and the terms of the trade, not words of our own.",
  check: (files) =>
    files
      .filter((file) => file.path.endsWith(".md") && !isException(file))
      .flatMap((file) =>
        DIALECT.flatMap(([pattern, say]) => occurrences(file, proseOf(file), pattern).map(withAdvice(say))),
      ),
};
