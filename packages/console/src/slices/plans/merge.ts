/** Two people changed one plan: what only one of them changed is kept, and where both did, mine. */
import type { DraftPlan } from "./draft.ts";

type Keyed = { readonly key: string };

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isKeyed = (value: unknown): value is readonly Keyed[] =>
  Array.isArray(value) && value.every((item) => isObject(item) && typeof item.key === "string");

export const mergeDrafts = (base: DraftPlan, mine: DraftPlan, theirs: DraftPlan): DraftPlan =>
  merge(base, mine, theirs) as DraftPlan;

function merge(base: unknown, mine: unknown, theirs: unknown): unknown {
  if (isSame(mine, base)) return theirs;
  if (isSame(theirs, base)) return mine;
  if (isObject(base) && isObject(mine) && isObject(theirs))
    return Object.fromEntries(Object.keys(mine).map((name) => [name, merge(base[name], mine[name], theirs[name])]));
  // Tiers have no keys: those of one person and those of another make no sense together.
  if (isKeyed(base) && isKeyed(mine) && isKeyed(theirs) && [...base, ...mine, ...theirs].length > 0)
    return mergeLists(base, mine, theirs);
  return mine;
}

function mergeLists(base: readonly Keyed[], mine: readonly Keyed[], theirs: readonly Keyed[]): Keyed[] {
  const find = (list: readonly Keyed[], key: string) => list.find((item) => item.key === key);
  const kept = theirs.flatMap((item) => {
    const [was, own] = [find(base, item.key), find(mine, item.key)];
    if (!was) return [item];
    return own ? [merge(was, own, item) as Keyed] : [];
  });
  const added = mine.flatMap((item) => {
    const was = find(base, item.key);
    if (find(theirs, item.key)) return [];
    if (!was) return [item];
    // They removed it and I changed it: it comes back as a new one.
    return isSame(was, item) ? [] : [{ ...item, isStored: false }];
  });
  return [...kept, ...added];
}
