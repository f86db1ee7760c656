// Views of a file for the rules of the house: code without strings, comments only, a list of imports.

import type { SourceFile, Violation } from "./rule.ts";

type Kind = "code" | "string" | "comment";

/** `import … from "x"`, `export … from "x"`, `import "x"` and `import("x")`; the clause is the text before the name. */
export type Import = { readonly from: string; readonly clause: string; readonly line: number };

const REGEX_MAY_FOLLOW = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|=>|\b(?:return|typeof|case|of|in|do|else|await))\s*$/;

/** The end of a token that is not code; `start` is its first character. */
function endOf(text: string, start: number): number {
  const opening = text[start];
  if (text.startsWith("//", start)) return indexOrEnd(text, text.indexOf("\n", start));
  if (text.startsWith("/*", start)) return indexOrEnd(text, text.indexOf("*/", start) + 2);
  let inClass = false;
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (character === "\n" && opening !== "`") return at;
    else if (opening === "/" && character === "[") inClass = true;
    else if (opening === "/" && character === "]") inClass = false;
    else if (character === opening && !inClass) return at + 1;
  }
  return text.length;
}

const indexOrEnd = (text: string, index: number): number => (index <= 1 ? text.length : index);

/** The kind of the token that starts here, or null for plain code. */
function tokenAt(text: string, at: number): Kind | null {
  if (text.startsWith("//", at) || text.startsWith("/*", at)) return "comment";
  const character = text[at];
  if (character === '"' || character === "'") return "string";
  return character === "/" && REGEX_MAY_FOLLOW.test(text.slice(Math.max(0, at - 20), at)) ? "string" : null;
}

/** Marks every character of a source; a template's `${…}` is code, the rest of it string. Quotes count as code. */
function kindsOf(text: string): Kind[] {
  const kinds: Kind[] = new Array(text.length).fill("code");
  const templates: number[] = []; // the depth of braces in each template we are inside of
  let depth = 0;
  let at = 0;
  const skipTemplate = () => {
    while (at < text.length && text[at] !== "`" && !text.startsWith("${", at)) {
      const length = text[at] === "\\" ? 2 : 1;
      kinds.fill("string", at, at + length);
      at += length;
    }
    if (text[at] === "`") at++;
    else if (at < text.length) {
      templates.push(depth);
      at += 2;
    }
  };
  while (at < text.length) {
    const kind = tokenAt(text, at);
    if (kind !== null) {
      const end = endOf(text, at);
      kinds.fill(kind, kind === "string" ? at + 1 : at, kind === "string" ? end - 1 : end);
      at = end;
      continue;
    }
    const character = text[at++];
    if (character === "`") skipTemplate();
    else if (character === "{") depth++;
    else if (character === "}" && templates.at(-1) === depth) {
      templates.pop();
      skipTemplate();
    } else if (character === "}") depth--;
  }
  return kinds;
}

const kindsByText = new Map<string, Kind[]>();

/** Blanks everything that is not of these kinds; lines and columns stay the same. */
function keep(text: string, ...expected: Kind[]): string {
  const kinds = kindsByText.get(text) ?? kindsOf(text);
  kindsByText.set(text, kinds);
  const blanked = text.split("").map((character, at) => {
    const kind = kinds[at];
    return character === "\n" || (kind !== undefined && expected.includes(kind)) ? character : " ";
  });
  return blanked.join("");
}

/** Code with strings and comments blanked, so that a rule does not match words. */
export const codeOf = (file: SourceFile): string => keep(file.text, "code");

/** Code and strings without comments, to search for SQL. */
export const withoutComments = (file: SourceFile): string => keep(file.text, "code", "string");

export const commentsOf = (file: SourceFile): string => keep(file.text, "comment");

export const stringsOf = (file: SourceFile): string => keep(file.text, "string");

export const isCode = (file: SourceFile): boolean => /\.(ts|tsx|mts|cts|mjs|cjs|js|jsx)$/.test(file.path);

/** A test file. */
export const isSuite = (file: SourceFile): boolean => /\.(test|contract|story)\.tsx?$/.test(file.path);

/** A file for tests only: a suite, or code that suites use. */
export const isTest = (file: SourceFile): boolean => isSuite(file) || /^(tests|stories)\//.test(file.path);

/** Written by a command. */
export const isGenerated = (file: SourceFile): boolean =>
  /^(docs\/reference\/|releases\/|package-lock\.json$|packages\/client\/src\/generated\/|packages\/server\/src\/platform\/postgres\/schema\.ts$)/.test(
    file.path,
  );

const firstLine = (text: string): string => text.trim().split("\n")[0] ?? "";

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;

/** A violation for each match of the pattern (with the g flag) in this view of the file. */
export function occurrences(file: SourceFile, view: string, pattern: RegExp): Violation[] {
  return Array.from(view.matchAll(pattern), (match) => ({
    path: file.path,
    line: lineAt(view, match.index),
    found: firstLine(file.text.slice(match.index, match.index + match[0].length)),
  }));
}

export function importsOf(file: SourceFile): Import[] {
  const code = codeOf(file);
  const statements = code.matchAll(/\b(?:(?:import|export)\b([^;"'()]*?)\bfrom\s*|import\s*\(?\s*)(?=["'])/g);
  return Array.from(statements, (match) => {
    const quote = match.index + match[0].length;
    const from = file.text.slice(quote + 1, file.text.indexOf(file.text[quote] ?? "", quote + 1));
    return { from, clause: (match[1] ?? "").trim(), line: lineAt(code, match.index) };
  });
}
