/** By which values of its properties an event is billed apart from others. */
import { propertyOf, type UsageEvent } from "./event.ts";

/** Property → value; null where the events have none. */
export type Group = Readonly<Record<string, string | null>>;

/** The group of an event. A property that is missing, null or empty is one and the same group. */
export function groupOf(groupedBy: readonly string[], event: Pick<UsageEvent, "properties">): Group {
  return Object.fromEntries(groupedBy.map((name) => [name, propertyOf(event, name) || null]));
}

/** One text per group, whatever the order of its properties: {"user":null,"workspace":"a"}. */
export function groupKey(group: Group): string {
  return JSON.stringify(group, Object.keys(group).sort());
}
