/**
 * Groups preceded filters: values of one or two event properties. They no longer exist, so the id of a group is its content, such as
 * `region=eu`. A client can send back an id that it read.
 */
import { isObject, type Members } from "./members.ts";

type Values = Readonly<Record<string, readonly string[]>>;
type Filter = { key: string; values: string[] };

/** `cloud=aws&region=eu`; null for usage outside of all filters. */
export function groupId(values: unknown): string | null {
  if (!isObject(values)) return null;
  const pairs = Object.entries(values as Values).flatMap(([key, of]) => of.map((value) => [key, value]));
  return pairs.length > 0 ? new URLSearchParams(pairs).toString() : null;
}

function valuesOf(id: unknown): Values {
  const pairs = [...new URLSearchParams(typeof id === "string" ? id : "")];
  const byKey = Map.groupBy(pairs, ([key]) => key);
  return Object.fromEntries([...byKey].map(([key, of]) => [key, of.map(([, value]) => value)]));
}

/** A group has one or two levels. */
export function toGroup(filters: unknown): unknown {
  const [first, second, ...more] = filters as Filter[];
  if (!first) return {};
  if (more.length > 0) return null;
  if (!second) return { key: first.key, values: first.values };
  return { key: first.key, values: first.values.map((name) => ({ name, key: second.key, values: second.values })) };
}

/** A filter for each key, with the values of all groups on it. Undefined without groups. */
export function fromGroup(group: unknown): unknown {
  if (group === null) return undefined;
  if (!isObject(group)) return group;
  if (Object.keys(group).length === 0) return [];
  const filters = new Map<unknown, unknown[]>();
  const add = (key: unknown, values: readonly unknown[]) =>
    filters.set(key, [...new Set([...(filters.get(key) ?? []), ...values])]);
  const values = Array.isArray(group.values) ? group.values : [];
  add(
    group.key,
    values.map((value) => (isObject(value) ? value.name : value)),
  );
  for (const inner of values.filter(isObject)) add(inner.key, Array.isArray(inner.values) ? inner.values : []);
  return [...filters].map(([key, values]) => ({ key, values }));
}

/** The prices of a charge's filters. */
export const toGroupProperties = (filters: unknown): unknown =>
  (filters as Members[]).map(({ values, properties, invoice_display_name }) => ({
    group_id: groupId(values),
    values: properties,
    invoice_display_name,
  }));

export const fromGroupProperties = (groups: unknown): unknown =>
  Array.isArray(groups)
    ? groups.map((group) =>
        isObject(group)
          ? {
              values: valuesOf(group.group_id),
              properties: group.values,
              invoice_display_name: group.invoice_display_name,
            }
          : group,
      )
    : (groups ?? undefined);

/** The usage of each filter. Usage outside of all filters was in no group. */
export const toUsedGroups = (filters: unknown): unknown =>
  (filters as Members[])
    .filter(({ values }) => isObject(values))
    .map(({ values, units, amount_cents, events_count }) => ({
      svc_id: groupId(values),
      key: Object.keys(values as Values).join(", "),
      value: Object.values(values as Values)
        .flat()
        .join(", "),
      units,
      amount_cents,
      events_count,
    }));
