/** Random plans: valid ones, ones with a single wrong member, and wild ones. */
import { CHARGE_MODELS, type ChargeModel } from "@tallystick/core/catalog";
import fc from "fast-check";
import { priceCaseOf } from "../oracle/price-cases.ts";
import { fittingValue, type Known, type Schema, unfittingValue } from "./schema-values.ts";

type Members = Record<string, unknown>;

/** A metric that charges can be made on. */
export type KnownMetric = {
  id: string;
  aggregationType: string;
  isRecurring: boolean;
  filters: readonly { key: string; values: readonly string[] }[];
};

export type Catalog = {
  /** The schema of a plan in a request, from the API description. */
  schema: Schema;
  metrics: readonly KnownMetric[];
  taxCodes: readonly string[];
};

export type WrongPlan = { plan: Members; path: readonly (string | number)[]; field: string };

/** Members whose inside is reported as a whole. */
const REPORTED_AS_ONE = ["properties", "values"];

/** Members that name other records: a wrong text there is not invalid but unknown. */
const REFERENCES = ["billable_metric_id", "tax_codes", "taxes", "id"];

export function validPlan({ schema, metrics, taxCodes }: Catalog): fc.Arbitrary<Members> {
  const codes = fc.subarray([...taxCodes]);
  const amounts = fc.oneof(fc.nat({ max: 1_000_000 }), fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER));
  const known: Known = {
    tax_codes: codes,
    amount_cents: amounts,
    charges: fc.array(charge(metrics, taxCodes), { maxLength: 4 }),
    minimum_commitment: fc.record(
      {
        amount_cents: fc.integer({ min: 1, max: 1_000_000 }),
        invoice_display_name: fc.string({ maxLength: 20 }),
        tax_codes: codes,
      },
      { requiredKeys: ["amount_cents"], noNullPrototype: true },
    ),
  };
  return fittingValue(schema, known) as fc.Arbitrary<Members>;
}

function charge(metrics: readonly KnownMetric[], taxCodes: readonly string[]): fc.Arbitrary<Members> {
  return fc.constantFrom(...metrics).chain((metric) =>
    fc.constantFrom(...modelsFor(metric)).chain((model) =>
      fc
        .tuple(billing(metric, model), properties(model), filters(model, metric), fc.subarray([...taxCodes]))
        .map(([options, price, list, codes]) => ({
          billable_metric_id: metric.id,
          charge_model: model,
          properties: price,
          filters: list,
          tax_codes: codes,
          ...options,
        })),
    ),
  );
}

const modelsFor = ({ aggregationType }: KnownMetric): readonly ChargeModel[] =>
  aggregationType === "latest_agg" ? CHARGE_MODELS.filter((model) => !model.includes("percentage")) : CHARGE_MODELS;

function billing({ aggregationType, isRecurring }: KnownMetric, model: ChargeModel): fc.Arbitrary<Members> {
  const mayBeInAdvance = model !== "volume" && ["count_agg", "sum_agg", "unique_count_agg"].includes(aggregationType);
  const mayBeProrated = isRecurring && aggregationType !== "weighted_sum_agg";
  const arrears = fc.record({
    pay_in_advance: fc.constant(false),
    prorated: fc
      .boolean()
      .map((expected) => expected && mayBeProrated && ["standard", "volume", "graduated"].includes(model)),
    min_amount_cents: fc.nat({ max: 10_000 }),
  });
  if (!mayBeInAdvance) return arrears;
  const inAdvance = fc
    .record({ invoiceable: fc.boolean(), regroups: fc.boolean(), prorated: fc.boolean() })
    .map(({ invoiceable, regroups, prorated }) => ({
      pay_in_advance: true,
      invoiceable,
      regroup_paid_fees: regroups && !invoiceable ? "invoice" : null,
      prorated: prorated && mayBeProrated && model === "standard",
    }));
  return fc.oneof(arrears, inAdvance);
}

/** Those of the oracle's cases, with groups now and then. */
const properties = (model: ChargeModel): fc.Arbitrary<Members> =>
  fc
    .tuple(priceCaseOf(model), fc.uniqueArray(fc.constantFrom("region", "workspace", "model"), { maxLength: 2 }))
    .map(([price, keys]) => {
      const members = JSON.parse(JSON.stringify(price.properties)) as Members;
      return keys.length === 0 ? members : { ...members, grouped_by: keys };
    });

function filters(model: ChargeModel, metric: KnownMetric): fc.Arbitrary<Members[]> {
  if (metric.filters.length === 0) return fc.constant([]);
  const values = fc
    .subarray([...metric.filters], { minLength: 1 })
    .chain((keys) =>
      fc
        .tuple(...keys.map(({ values: allowed }) => fc.subarray([...allowed], { minLength: 1 })))
        .map((lists) => Object.fromEntries(keys.map(({ key }, index) => [key, lists[index]]))),
    );
  const filter = fc.record({
    values,
    properties: properties(model),
    invoice_display_name: fc.constantFrom(null, "F"),
  });
  return fc.uniqueArray(filter, { maxLength: 3, selector: ({ values: chosen }) => JSON.stringify(chosen) });
}

/** A valid plan in which one member has a value that its schema forbids. */
export function wrongPlan(catalog: Catalog): fc.Arbitrary<WrongPlan> {
  return validPlan(catalog).chain((plan) => {
    const places = placesIn(plan, catalog.schema, []);
    return fc.constantFrom(...places).chain(({ path, schema }) =>
      unfittingValue(schema).map((value) => ({
        plan: replaced(plan, path, value) as Members,
        path,
        field: reportedField(path),
      })),
    );
  });
}

type Place = { path: (string | number)[]; schema: Schema };

/** Every member of a value that the schema describes. */
function placesIn(value: unknown, schema: Schema, path: (string | number)[]): Place[] {
  const here = path.length === 0 ? [] : [{ path, schema }];
  if (Array.isArray(value)) {
    return [
      ...here,
      ...value.flatMap((item, index) => placesIn(item, schema.items ?? {}, [...path, index]).filter(isMember)),
    ];
  }
  if (typeof value !== "object" || value === null) return here;
  const inside = Object.entries(value).flatMap(([name, member]) => {
    const described = schema.properties?.[name];
    return described ? placesIn(member, described, [...path, name]) : [];
  });
  return [...here, ...inside];
}

/** An item of a list of texts is reported under the list, which stands for it. */
const isMember = ({ path }: Place): boolean => typeof path.at(-1) === "string";

/** The member that the answer must name. */
function reportedField(path: readonly (string | number)[]): string {
  const names = path.filter((step) => typeof step === "string");
  return names.find((name) => REPORTED_AS_ONE.includes(name)) ?? names.at(-1) ?? "base";
}

/** Whether a wrong value there may also be answered with 404. */
export const mayBeUnknown = (path: readonly (string | number)[]): boolean =>
  path.some((step) => typeof step === "string" && REFERENCES.includes(step));

function replaced(value: unknown, [step, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (step === undefined) return by;
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? replaced(item, rest, by) : item));
  const members = value as Members;
  return { ...members, [step]: replaced(members[step], rest, by) };
}

/** Anything under the names of a plan. */
export function wildPlan(catalog: Catalog): fc.Arbitrary<unknown> {
  const names = Object.keys(catalog.schema.properties ?? {});
  const wild = fc.dictionary(fc.constantFrom(...names, "constructor", "unknown"), fc.jsonValue({ maxDepth: 4 }), {
    noNullPrototype: true,
  });
  return fc.oneof(
    wild,
    fc.tuple(validPlan(catalog), wild).map(([plan, members]) => ({ ...plan, ...members })),
  );
}
