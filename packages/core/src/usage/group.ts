/** The property values by which an event is billed separately from others. */
import { propertyOf, type UsageEvent } from "./event.ts";

/** Property → value; null if the events have none. */
export type Group = Readonly<Record<string, string | null>>;

/** The group of an event. A property that is missing, null or empty is one and the same group. */
export function groupOf(groupedBy: readonly string[], event: Pick<UsageEvent, "properties">): Group {
  return Object.fromEntries(groupedBy.map((name) => [name, propertyOf(event, name) || null]));
}

/** One text per group, whatever the order of its properties: {"user":null,"workspace":"a"}. */
export function groupKey(group: Group): string {
  return JSON.stringify(group, Object.keys(group).sort());
}

/** Items of the same group, with the group; in the order of their keys. */
export function inGroups<Item>(
  items: readonly Item[],
  groupOfItem: (item: Item) => Group,
): { readonly group: Group; readonly items: readonly Item[] }[] {
  const found = new Map<string, { group: Group; items: Item[] }>();
  for (const item of items) {
    const group = groupOfItem(item);
    const key = groupKey(group);
    const known = found.get(key);
    if (known) known.items.push(item);
    else found.set(key, { group: inOrder(group), items: [item] });
  }
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, own]) => own);
}

/** With its properties in the order of their names, as in its key. */
export const inOrder = (group: Group): Group =>
  Object.fromEntries(
    Object.keys(group)
      .sort()
      .map((name) => [name, group[name] ?? null]),
  );
