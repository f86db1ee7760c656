/**
 * Finds the parts of a JSON text, so that a value is taken as it was written and never passes through a JavaScript number. The text has
 * been parsed already, so it is known to be valid JSON.
 */

export const QUOTE = 0x22;
const BACKSLASH = 0x5c;
export const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
export const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const SPACE = 0x20;

/** Gets the name of a member and where its value begins; returns where the value ends. */
type OnMember = (name: string, valueAt: number) => number;
type OnItem = (itemAt: number) => number;

/** Walks through the members of the object that begins at `at`, in their order; returns where the object ends. */
export function walkMembers(text: string, at: number, onMember: OnMember): number {
  let next = skipSpace(text, at + 1);
  while (text.charCodeAt(next) !== CLOSE_OBJECT) {
    const nameEnd = endOfText(text, next);
    const name = readText(text.slice(next, nameEnd));
    const colon = skipSpace(text, nameEnd);
    next = skipSpace(text, onMember(name, skipSpace(text, colon + 1)));
    if (text.charCodeAt(next) === COMMA) next = skipSpace(text, next + 1);
  }
  return next + 1;
}

/** Walks through the items of the list that begins at `at`; returns where the list ends. */
export function walkItems(text: string, at: number, onItem: OnItem): number {
  let next = skipSpace(text, at + 1);
  while (text.charCodeAt(next) !== CLOSE_LIST) {
    next = skipSpace(text, onItem(next));
    if (text.charCodeAt(next) === COMMA) next = skipSpace(text, next + 1);
  }
  return next + 1;
}

export function skipSpace(text: string, at: number): number {
  let next = at;
  while (text.charCodeAt(next) <= SPACE) next++;
  return next;
}

/** Returns where the value that begins at `at` ends. */
export function endOfValue(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return endOfText(text, at);
  if (first === OPEN_OBJECT || first === OPEN_LIST) return endOfHolder(text, at);
  return endOfWord(text, at);
}

/** The text that a JSON string encodes. */
export function readText(json: string): string {
  return json.includes("\\") ? JSON.parse(json) : json.slice(1, -1);
}

function endOfText(text: string, at: number): number {
  let quote = text.indexOf('"', at + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1;
}

/** A number, true, false or null. */
function endOfWord(text: string, at: number): number {
  let next = at;
  for (;;) {
    const unit = text.charCodeAt(next);
    // Beyond the end it is NaN, and no comparison is true.
    if (!(unit > SPACE) || unit === COMMA || unit === CLOSE_OBJECT || unit === CLOSE_LIST) return next;
    next++;
  }
}

function endOfHolder(text: string, at: number): number {
  let depth = 0;
  let next = at;
  for (;;) {
    const unit = text.charCodeAt(next);
    if (unit === QUOTE) {
      next = endOfText(text, next);
      continue;
    }
    if (unit === OPEN_OBJECT || unit === OPEN_LIST) depth++;
    next++;
    if ((unit === CLOSE_OBJECT || unit === CLOSE_LIST) && --depth === 0) return next;
  }
}

/** Whether an odd number of backslashes precedes it. */
function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
