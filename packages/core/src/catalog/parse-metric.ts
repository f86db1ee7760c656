/** Validates a billable metric and its changes. */
import { ALL_FILTER_VALUES } from "./charge.ts";
import {
  codes,
  flag,
  listOf,
  longText,
  type Members,
  name,
  object,
  oneOf,
  optional,
  type Reader,
  required,
  withChange,
} from "./members.ts";
import { type Aggregation, isRecurring, type MetricDefinition, type MetricFilter } from "./metric.ts";
import { andThen, checked, combine, type Faults, holds, ok, type Result } from "./result.ts";

const AGGREGATION_TYPES = [
  "count_agg",
  "sum_agg",
  "max_agg",
  "unique_count_agg",
  "weighted_sum_agg",
  "latest_agg",
] as const satisfies `${Aggregation["type"]}_agg`[];

const CHANGEABLE_WHEN_ATTACHED = ["name", "description", "filters"];

/** A metric from the members of a request. */
export function parseMetric(input: Members): Result<MetricDefinition, Faults> {
  return combine({
    name: required(input, "name", name),
    code: required(input, "code", name),
    description: optional(input, "description", longText, null),
    aggregation: parseAggregation(input),
    weightedInterval: optional(input, "weighted_interval", oneOf(["seconds"]), null),
    filters: andThen(optional(input, "filters", listOf(object(parseFilter)), []), refuseRepeatedKeys),
  });
}

/** The members of the API that make this metric. */
export function metricMembers({ name, code, description, aggregation, weightedInterval, filters }: MetricDefinition) {
  return {
    name,
    code,
    description,
    aggregation_type: `${aggregation.type}_agg` as const,
    field_name: "field" in aggregation ? aggregation.field : null,
    recurring: isRecurring(aggregation),
    weighted_interval: weightedInterval,
    filters,
  } satisfies Members;
}

/** The metric after an update. Once a plan has a charge on it, its aggregation stays; other members are ignored. */
export function metricAfterUpdate(
  current: MetricDefinition,
  change: Members,
  isAttached: boolean,
): Result<MetricDefinition, Faults> {
  return parseMetric(withChange(metricMembers(current), change, isAttached ? CHANGEABLE_WHEN_ATTACHED : undefined));
}

function parseAggregation(input: Members): Result<Aggregation, Faults> {
  const type = required(input, "aggregation_type", oneOf(AGGREGATION_TYPES));
  if (!type.ok) return type;
  const field = required(input, "field_name", name);
  const isRecurring = optional(input, "recurring", flag, false);
  const isMetered = andThen(isRecurring, (is) => holds(!is, "recurring", "not_compatible_with_aggregation_type"));
  switch (type.value) {
    case "count_agg":
      return checked(ok({ type: "count" }), isMetered);
    case "max_agg":
      return checked(combine({ type: ok("max" as const), field }), isMetered);
    case "latest_agg":
      return checked(combine({ type: ok("latest" as const), field }), isMetered);
    case "sum_agg":
      return combine({ type: ok("sum" as const), field, isRecurring });
    case "unique_count_agg":
      return combine({ type: ok("unique_count" as const), field, isRecurring });
    case "weighted_sum_agg": {
      const isBySecond = required(input, "weighted_interval", oneOf(["seconds"]));
      return checked(combine({ type: ok("weighted_sum" as const), field, isRecurring }), isBySecond);
    }
  }
}

function parseFilter(input: Members): Result<MetricFilter, Faults> {
  return combine({ key: required(input, "key", name), values: required(input, "values", filterValues) });
}

/** Sorted and each once, as the API shows them. */
const filterValues: Reader<string[]> = (value, field) =>
  andThen(codes(value, field), (values) =>
    checked(
      ok(values.toSorted()),
      holds(values.length > 0, field, "value_is_mandatory"),
      holds(!values.includes("") && !values.includes(ALL_FILTER_VALUES), field, "value_is_invalid"),
    ),
  );

const refuseRepeatedKeys = (filters: MetricFilter[]): Result<MetricFilter[], Faults> => {
  const keys = new Set(filters.map(({ key }) => key));
  return checked(ok(filters), holds(keys.size === filters.length, "key", "value_already_exist"));
};
