/** Prices and filters in the API description: the members that each model takes and shows. */
import { Type } from "@fastify/type-provider-typebox";
import { nullable } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";

const decimal = (example: string, description = "A decimal of 0 or more") =>
  Type.String({ description, examples: [example] });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const bounds = {
  from_value: Type.Integer({
    description: "0 in the first range; in others, one more than the end of the range before",
  }),
  to_value: nullable(Type.Integer({ description: "Null in the last range only" })),
};
const unitRange = namedObject("UnitRange", { ...bounds, per_unit_amount: decimal("0.10"), flat_amount: decimal("2") });
const shareRange = namedObject("PercentageRange", {
  ...bounds,
  rate: decimal("1.3", "Percent"),
  flat_amount: decimal("2"),
});

const members = {
  amount: decimal("0.05"),
  graduated_ranges: Type.Array(unitRange, { description: "Each unit has the price of its range" }),
  volume_ranges: Type.Array(unitRange, { description: "All units have the price of the range of the total" }),
  free_units: count("Free units"),
  package_size: count("Units per package; a started package is billed in full"),
  rate: decimal("1.3", "Percentage of the value of each event"),
  fixed_amount: decimal("0.20", "Fixed amount per event"),
  free_units_per_events: count("Number of free events"),
  free_units_per_total_aggregation: decimal("100", "Free units"),
  per_transaction_min_amount: decimal("0.5", "Minimum amount per event"),
  per_transaction_max_amount: decimal("3", "Maximum amount per event"),
  graduated_percentage_ranges: Type.Array(shareRange, { description: "Like graduated_ranges, with percentages" }),
  grouped_by: Type.Array(Type.String(), {
    description: "Event properties; usage is billed separately for each combination of their values",
  }),
};

/** Only members of the charge model; decimals as they were sent. */
export const shownPropertiesSchema = Type.Partial(Type.Object(members), { title: "ChargeProperties" });

const { amount, rate, free_units, package_size, graduated_ranges, volume_ranges } = members;
const allowances = {
  fixed_amount: Type.Optional(nullable(members.fixed_amount)),
  free_units_per_events: Type.Optional(nullable(members.free_units_per_events)),
  free_units_per_total_aggregation: Type.Optional(nullable(members.free_units_per_total_aggregation)),
  per_transaction_min_amount: Type.Optional(nullable(members.per_transaction_min_amount)),
  per_transaction_max_amount: Type.Optional(nullable(members.per_transaction_max_amount)),
};
const { graduated_percentage_ranges } = members;
const grouped = { grouped_by: Type.Optional(nullable(members.grouped_by)) };

/** The members of a request; core validates them by the charge model. */
export const givenPropertiesSchema = Type.Unsafe<object>({
  title: "ChargePropertiesUpdate",
  type: "object",
  description:
    "Depends on the charge model. Without properties the charge costs nothing; members of other models are dropped",
  anyOf: [
    Type.Object({ amount, ...grouped }, { title: "standard" }),
    Type.Object({ graduated_ranges, ...grouped }, { title: "graduated" }),
    Type.Object({ volume_ranges, ...grouped }, { title: "volume" }),
    Type.Object({ amount, free_units, package_size, ...grouped }, { title: "package" }),
    Type.Object({ rate, ...allowances, ...grouped }, { title: "percentage" }),
    Type.Object({ graduated_percentage_ranges, ...grouped }, { title: "graduated_percentage" }),
    Type.Object({}, { maxProperties: 0, title: "free" }),
  ],
  examples: [{ amount: "0.05" }],
});

/** Not Type.Record: its pattern rejects keys with a line break. */
export const filterValuesSchema = Type.Unsafe<Record<string, string[]>>({
  type: "object",
  description: "Key → values, from the metric's filters; `__ALL_FILTER_VALUES__` alone matches every value",
  additionalProperties: Type.Array(Type.String()),
  examples: [{ region: ["eu", "us"] }],
});
