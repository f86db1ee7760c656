// Private words for things that have a term of the trade. A reader must not have to learn them.

import type { Rule, SourceFile, Violation } from "./rule.ts";
import { codeOf, commentsOf, isCode, isGenerated, occurrences, stringsOf } from "./source-text.ts";

type Dialect = readonly (readonly [pattern: RegExp, say: string])[];

/** Each pattern with what to say instead. */
const DIALECT: Dialect = [
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
  [/\bfor\s+ever\b/gi, "forever"],
  [/\b(?:behaviour|catalogue|colour|favour|honour|licence|neighbour)s?\b|\bcancelled\b/gi, "the American spelling"],
];

/** Words that the code has for what lies inside of it; no text calls it that. */
const INSIDE: Dialect = [
  [/\bcuts?\b/gi, "snapshot of events; drop a connection; split a span"],
  [/\blanes?\b/gi, "queue"],
];

/** Words that are plain in a sentence, and say nothing in a name. */
const IN_NAMES: Dialect = [[/\b(?:asked|wanted)\b/gi, "request, query, input or options"]];

/** Names that are not ours to change, each with its reason. */
const NAMES: Readonly<Record<string, string>> = {
  catalogue: "a folder of modules",
  asked_at: "a column",
  asked_for: "a column",
  wanted: "a state of a rollup, which the database keeps",
};

/** Pages that may still contain such words, each with its reason; a name that ends in a slash is a folder. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "tests/house/plants.ts": "plants such words",
  "tests/house/dialect-rule.ts": "lists them",
  "prove/guards/": "quotes the code that it takes away",
  "prove/value-faults/": "quotes the code that it takes away",
  "docs/evidence.md": "generated from records of runs, which are kept as they were printed",
};

const isException = ({ path }: SourceFile): boolean =>
  Object.keys(EXCEPTIONS).some((name) => (name.endsWith("/") ? path.startsWith(name) : path === name));

const blank = (text: string): string => text.replaceAll(/[^\n]/g, " ");

const isPage = ({ path }: SourceFile): boolean => path.endsWith(".md");

/** The page with its code and the targets of its links blanked; lines and columns stay where they are. */
const proseOf = ({ text }: SourceFile): string =>
  text
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, blank)
    .replaceAll(/`[^`\n]*`/g, blank)
    .replaceAll(/\]\([^)\s]+\)/g, blank);

/** Comments without the names in them. */
const commentTextOf = (file: SourceFile): string => commentsOf(file).replaceAll(/`[^`\n]*`/g, blank);

/** Strings of more than a word. */
const stringTextOf = (file: SourceFile): string =>
  stringsOf(file).replaceAll(/(?<!\S)\S+(?= {2}|\n|$)/g, (word, at: number, all: string) =>
    /\S $/.test(all.slice(Math.max(0, at - 2), at)) ? word : blank(word),
  );

/** `subscriptionWish` and `SUBSCRIPTION_WISH` as `subscription wish`. */
const wordsOf = (name: string): string => name.replaceAll(/(?<=[a-z\d])(?=[A-Z])|_/g, " ");

const withAdvice =
  (say: string) =>
  (violation: Violation): Violation => ({ ...violation, found: `${violation.found} (say: ${say})` });

const inText = (file: SourceFile, text: string, dialect: Dialect): Violation[] =>
  dialect.flatMap(([pattern, say]) => occurrences(file, text, pattern).map(withAdvice(say)));

const NAME = /[A-Za-z_$][\w$]*/g;

const adviceOn = (name: string): string | undefined =>
  name in NAMES ? undefined : [...DIALECT, ...IN_NAMES].find(([pattern]) => wordsOf(name).search(pattern) >= 0)?.[1];

function inNames(file: SourceFile): Violation[] {
  const code = codeOf(file);
  return [...new Set(code.match(NAME))].flatMap((name) => {
    const say = adviceOn(name);
    return say === undefined
      ? []
      : occurrences(file, code, new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?![\\w$])`, "g")).map(withAdvice(say));
  });
}

/** SQL in strings names columns, so `cut` and `lane` are looked for in comments only. */
const inCode = (file: SourceFile): Violation[] =>
  isCode(file)
    ? [
        ...inText(file, commentTextOf(file), [...DIALECT, ...INSIDE]),
        ...inText(file, stringTextOf(file), DIALECT),
        ...inNames(file),
      ]
    : [];

export const noDialect: Rule = {
  name: "no-dialect",
  reason: "A text for people uses plain American English and the terms of the trade, not words of our own.",
  check: (files) =>
    files
      .filter((file) => !isException(file) && !(isCode(file) && isGenerated(file)))
      .flatMap((file) => (isPage(file) ? inText(file, proseOf(file), [...DIALECT, ...INSIDE]) : inCode(file))),
};
