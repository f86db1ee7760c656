/** What a change of a definition is, member by member. */
import type { Definition } from "./definitions.ts";
import { keyed } from "./plan-definitions.ts";

export type Difference = { path: string; before: unknown; after: unknown };

export function differencesOf(before: Definition | undefined, after: Definition): Difference[] {
  return compare("", before && withKeys(before), withKeys(after));
}

/** So that a charge is compared with itself, wherever it is in the list. */
const withKeys = ({ charges, ...definition }: Definition): object =>
  charges === undefined ? definition : { ...definition, charges: Object.fromEntries(keyed(charges)) };

function compare(path: string, before: unknown, after: unknown): Difference[] {
  if (isMembers(before) && isMembers(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => compare(path === "" ? name : `${path}.${name}`, before[name], after[name]));
  }
  return isSame(before, after) ? [] : [{ path, before, after }];
}

const isMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => compare("", item, other[index]).length === 0);
  // A rate is text in a file, and may be a number.
  if (isNumber(one) || isNumber(other)) return String(one) === String(other);
  return isAbsent(one) ? isAbsent(other) : one === other;
}

const isNumber = (value: unknown): boolean => typeof value === "number" || typeof value === "bigint";

/** In a file, a member may be written as it is by default. */
const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

export const inWords = ({ path, before, after }: Difference): string => `${path}: ${shown(before)} → ${shown(after)}`;

const shown = (value: unknown): string => (value === undefined ? "(default)" : JSON.stringify(value));
