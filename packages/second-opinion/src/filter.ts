// Which filter of a charge takes an event.

export type FilterCase = {
  metricFilters: { key: string; values: string[] }[];
  /** Oldest first. */
  chargeFilters: { values: Record<string, string[]> }[];
  properties: Record<string, string>;
};

type Filter = { index: number; keys: number; values: number };

const EVERY_VALUE = "__ALL_FILTER_VALUES__";

/** The keys of a filter that the metric knows, each with its values. */
function conditionsOf(
  c: FilterCase,
  filter: { values: Record<string, string[]> },
): { key: string; values: string[] }[] {
  return c.metricFilters
    .filter(({ key }) => Object.hasOwn(filter.values, key))
    .map(({ key, values }) => {
      const listed = filter.values[key] ?? [];
      return { key, values: listed.length === 1 && listed[0] === EVERY_VALUE ? values : listed };
    });
}

/** Of two filters that both match: more keys, then fewer combinations of values, then the older. */
function beats(a: Filter, b: Filter): boolean {
  if (a.keys !== b.keys) return a.keys > b.keys;
  if (a.values !== b.values) return a.values < b.values;
  return a.index < b.index;
}

/** The position of the filter that takes the event. null: no filter matches, so the event falls into the default bucket. */
export function oracleFilter(c: FilterCase): number | null {
  const matching = c.chargeFilters.flatMap((filter, index): Filter[] => {
    const conditions = conditionsOf(c, filter);
    const matches = conditions.every(
      ({ key, values }) => Object.hasOwn(c.properties, key) && values.includes(c.properties[key] ?? ""),
    );
    const combinations = conditions.reduce((product, { values }) => product * values.length, 1);
    return matches && conditions.length > 0 ? [{ index, keys: conditions.length, values: combinations }] : [];
  });
  const winner = matching.find((filter) => !matching.some((other) => beats(other, filter)));
  return winner === undefined ? null : winner.index;
}
