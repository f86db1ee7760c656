/** Validates the filters of a charge, and adjusts them when their metric changes. */
import { ALL_FILTER_VALUES, type ChargeFilter, type ChargeFilterDefinition } from "./charge.ts";
import { codes, listOf, type Members, object, optional, type Reader, required, shortText } from "./members.ts";
import type { Metric } from "./metric.ts";
import type { ChargeModel } from "./pricing.ts";
import { parsePricing, propertiesAsSent } from "./pricing-properties.ts";
import { andThen, checked, combine, combineList, type Faults, fault, holds, ok, type Result } from "./result.ts";

type FilterValues = ChargeFilter["values"];

/** The filters of a charge, in the order given, from the member `filters` of a request. */
export function parseChargeFilters(
  filters: unknown,
  model: ChargeModel,
  metric: Metric,
): Result<ChargeFilterDefinition[], Faults> {
  const parseFilter = (input: Members): Result<ChargeFilterDefinition, Faults> => {
    const price = parsePricing(model, input.properties, metric);
    return combine({
      id: ok(null),
      values: required(input, "values", valuesOf(metric)),
      price,
      properties: andThen(price, (read) => ok(propertiesAsSent(input.properties, read))),
      invoiceDisplayName: optional(input, "invoice_display_name", shortText, null),
    });
  };
  return optional({ filters }, "filters", listOf(object(parseFilter)), []);
}

/** The members of the API that make this filter. */
export const filterMembers = ({ values, properties, invoiceDisplayName }: ChargeFilterDefinition): Members => ({
  values,
  properties,
  invoice_display_name: invoiceDisplayName,
});

/**
 * The remaining filters after the filters of their metric change. Removed values leave their filters. A filter is removed if a key loses
 * all its values, because no event can match it. Dropping only the key would bill other events at its price.
 */
export function filtersAfterMetricUpdate<Filter extends Pick<ChargeFilter, "values">>(
  filters: readonly Filter[],
  metric: Pick<Metric, "filters">,
): Filter[] {
  return filters.flatMap((filter) => {
    const values = Object.entries(filter.values).map(
      ([key, list]) => [key, list.filter((value) => isAllowed(metric, key, value))] as const,
    );
    return values.every(([, list]) => list.length > 0) ? [{ ...filter, values: Object.fromEntries(values) }] : [];
  });
}

/** Whether two filters take the same events. */
export const haveSameValues = (one: FilterValues, other: FilterValues): boolean => sorted(one) === sorted(other);

const sorted = (values: FilterValues): string =>
  JSON.stringify(
    Object.keys(values)
      .toSorted()
      .map((key) => [key, values[key]?.toSorted()]),
  );

const valuesOf =
  (metric: Metric): Reader<FilterValues> =>
  (value, field) =>
    object((input) => {
      const entries = Object.entries(input);
      if (entries.length === 0) return fault(field, "value_is_mandatory");
      const lists = entries.map(([key, list]) =>
        andThen(codes(list, field), (values) => allowedValues(metric, key, values)),
      );
      return andThen(combineList(lists), (pairs) => ok(Object.fromEntries(pairs)));
    })(value, field);

function allowedValues(metric: Metric, key: string, values: string[]): Result<[string, string[]], Faults> {
  const isAlone = values.length === 1 || !values.includes(ALL_FILTER_VALUES);
  return checked(
    ok([key, values]),
    holds(values.length > 0, "values", "value_is_mandatory"),
    holds(isAlone && values.every((value) => isAllowed(metric, key, value)), "values", "value_is_invalid"),
  );
}

function isAllowed({ filters }: Pick<Metric, "filters">, key: string, value: string): boolean {
  const dimension = filters.find((filter) => filter.key === key);
  return dimension !== undefined && (value === ALL_FILTER_VALUES || dimension.values.includes(value));
}
