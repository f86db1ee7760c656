/** A plan after an update, and the plan of one subscription that differs from its parent. */
import type { ChargeDefinition, ChargeFilterDefinition } from "./charge.ts";
import { filterMembers, haveSameValues } from "./charge-filters.ts";
import { isMembers, listOf, type Members, name, object, type Reader, required, withChange } from "./members.ts";
import { chargeMembers, type MetricsById } from "./parse-charge.ts";
import { commitmentMembers, parsePlan, planMembers } from "./parse-plan.ts";
import { mayBillChargesMonthly, type PlanDefinition } from "./plan.ts";
import { andThen, checked, combineList, type Faults, fault, holds, ok, type Result } from "./result.ts";

const CHANGEABLE_WITH_SUBSCRIPTIONS = [
  "name",
  "invoice_display_name",
  "description",
  "amount_cents",
  "tax_codes",
  "minimum_commitment",
  "charges",
];
/** What running bills depend on, and what null means in its place. */
const FIXED_WITH_SUBSCRIPTIONS: Members = {
  code: null,
  interval: null,
  amount_currency: null,
  pay_in_advance: null,
  trial_period: 0,
  bill_charges_monthly: false,
};
const CHARGE_FIXED_WHEN_RUNNING: Members = {
  charge_model: null,
  pay_in_advance: false,
  invoiceable: true,
  prorated: false,
};
const CHARGE_FIXED_WITH_SUBSCRIPTIONS: Members = {
  ...CHARGE_FIXED_WHEN_RUNNING,
  regroup_paid_fees: null,
  min_amount_cents: 0,
};
const CHARGE_CHANGEABLE_WITH_SUBSCRIPTIONS = ["properties", "filters", "invoice_display_name", "tax_codes"];

const OVERRIDABLE = [
  "name",
  "invoice_display_name",
  "description",
  "amount_cents",
  "amount_currency",
  "trial_period",
  "tax_codes",
  "minimum_commitment",
];
const CHARGE_OVERRIDABLE = [
  "charge_model",
  "invoiceable",
  "pay_in_advance",
  "prorated",
  "properties",
  "filters",
  "min_amount_cents",
  "invoice_display_name",
  "tax_codes",
];

/** A charge of the updated plan: a known one, changed or not, or a new one. */
type RequestedCharge = { known: ChargeDefinition | null; members: unknown };

/**
 * The plan after an update. `charges` is the complete new set: a charge with a known id is changed, one without is new, and charges that
 * are not listed are removed. Without the member, all charges stay. If the plan has subscriptions, another value of a member that running
 * bills depend on is refused. Ids of charges, and of filters with the same values, are kept.
 */
export function planAfterUpdate(
  current: PlanDefinition,
  change: Members,
  metrics: MetricsById,
  hasSubscriptions: boolean,
): Result<PlanDefinition, Faults> {
  const requested = requestedCharges(current, change.charges, hasSubscriptions);
  const before = planMembers(current);
  const members = withChange(
    before,
    withCommitment(current, change),
    hasSubscriptions ? CHANGEABLE_WITH_SUBSCRIPTIONS : undefined,
  );
  const isAllowed = hasSubscriptions ? keepsFixed(before, change, fixedMembers(current)) : ok(null);
  return andThen(checked(requested, isAllowed), (charges) => {
    const input = { ...members, charges: charges.map(({ members }) => members) };
    return andThen(parsePlan(input, withMetricsOf(current, metrics)), (plan) =>
      ok({ ...plan, charges: plan.charges.map((charge, index) => withIdsOf(charge, charges[index]?.known ?? null)) }),
    );
  });
}

/**
 * The plan of a subscription with `plan_overrides`: its parent's terms except for the overrides, not yet stored. Once the subscription is
 * running, the model, timing and proration of its charges stay.
 */
export function overridePlan(
  plan: PlanDefinition,
  overrides: Members,
  isRunning: boolean,
): Result<PlanDefinition, Faults> {
  const members = withChange(planMembers(plan), withCommitment(plan, overrides), OVERRIDABLE);
  return andThen(overrideCharges(plan, overrides.charges, isRunning), (charges) =>
    parsePlan({ ...members, charges }, withMetricsOf(plan, new Map())),
  );
}

/** An overridden plan after further overrides. Its charges and filters keep their ids. */
export const changeOverrides = (
  plan: PlanDefinition,
  overrides: Members,
  isRunning: boolean,
): Result<PlanDefinition, Faults> =>
  andThen(overridePlan(plan, overrides, isRunning), (changed) => {
    const charges = changed.charges.map((charge, index) => withIdsOf(charge, plan.charges[index] ?? null));
    return ok({ ...changed, charges });
  });

function requestedCharges(
  current: PlanDefinition,
  options: unknown,
  hasSubscriptions: boolean,
): Result<RequestedCharge[], Faults> {
  if (options === undefined || options === null) {
    return ok(current.charges.map((known) => ({ known, members: chargeMembers(known) })));
  }
  if (!Array.isArray(options)) return fault("charges", "value_is_invalid");
  const target = combineList(
    options.map((item): Result<RequestedCharge, Faults> => {
      const known = isMembers(item) ? current.charges.find(({ id }) => id !== null && id === idIn(item)) : undefined;
      if (!known) return ok({ known: null, members: item });
      return andThen(changedCharge(known, item, hasSubscriptions), (members) => ok({ known, members }));
    }),
  );
  return andThen(target, (charges) => {
    const known = charges.flatMap(({ known }) => known ?? []);
    return checked(ok(charges), holds(new Set(known).size === known.length, "id", "value_already_exist"));
  });
}

/** A charge that is sent back as it was read has its id under the name that answers show. */
const idIn = ({ id, svc_id }: Members): unknown => id ?? svc_id;

function changedCharge(charge: ChargeDefinition, change: Members, hasSubscriptions: boolean): Result<Members, Faults> {
  if (!hasSubscriptions) return checked(ok(withChargeMembers(charge, change)), combineList(namesByText(change)));
  const current = chargeMembers(charge);
  const changed = withChange(current, withPrices(change), CHARGE_CHANGEABLE_WITH_SUBSCRIPTIONS);
  const isFixed = keepsFixed(current, change, CHARGE_FIXED_WITH_SUBSCRIPTIONS);
  return checked(ok(changed), combineList([isFixed, ...namesByText(change)]));
}

/** A charge keeps its metric, so that the names in a change have no effect; they are texts all the same. */
const namesByText = (change: Members): Result<unknown, Faults>[] =>
  ["billable_metric_id", "billable_metric_code"].map((name) => {
    const named = change[name] ?? null;
    return holds(named === null || typeof named === "string", name, "value_is_invalid");
  });

function withChargeMembers(charge: ChargeDefinition, change: Members, changeable?: string[]): Members {
  const current = chargeMembers(charge);
  const isOtherModel = (change.charge_model ?? current.charge_model) !== current.charge_model;
  // A charge keeps its metric, because past and future bills depend on it.
  const { billable_metric_id } = current;
  const start = isOtherModel ? withoutPrices(charge) : current;
  return { ...withChange(start, withPrices(change), changeable), billable_metric_id };
}

/** Null in the place of prices leaves them alone. */
const withPrices = (change: Members): Members => ({ ...change, properties: change.properties ?? undefined });

/** Only a plan of at least half a year has charges that are billed monthly; in others the member has no meaning. */
function fixedMembers({ interval }: PlanDefinition): Members {
  const { bill_charges_monthly, ...always } = FIXED_WITH_SUBSCRIPTIONS;
  return mayBillChargesMonthly(interval) ? FIXED_WITH_SUBSCRIPTIONS : always;
}

/** Absent members and equal values are fine. */
const keepsFixed = (current: Members, change: Members, fixed: Members): Result<unknown, Faults> =>
  combineList(
    Object.entries(fixed).map(([name, ofNull]) => {
      const isSame = change[name] === undefined || (change[name] ?? ofNull) === (current[name] ?? ofNull);
      return holds(isSame, name, "not_changeable_in_use");
    }),
  );

/** Properties of one model can be valid for another: an amount per package would become an amount per unit. */
function withoutPrices(charge: ChargeDefinition): Members {
  const filters = charge.filters.map((filter) => ({ ...filterMembers(filter), properties: null }));
  return { ...chargeMembers(charge), properties: null, filters };
}

function overrideCharges(plan: PlanDefinition, given: unknown, isRunning: boolean): Result<Members[], Faults> {
  if (given === undefined || given === null) return ok(plan.charges.map(chargeMembers));
  const known = new Set(plan.charges.map(({ id }) => id));
  const overrideOf: Reader<Members> = (value, field) =>
    object((override) =>
      andThen(required(override, "id", name), (id) =>
        checked(
          ok(override),
          combineList([holds(known.has(id), "id", "relation_must_exist"), ...namesByText(override)]),
        ),
      ),
    )(value, field);
  return andThen(listOf(overrideOf)(given, "charges"), (overrides) => {
    const byId = new Map(overrides.map((override) => [override.id, override]));
    const charges = combineList(
      plan.charges.map((charge) => {
        const override = byId.get(charge.id) ?? {};
        const isAllowed = isRunning ? keepsFixed(chargeMembers(charge), override, CHARGE_FIXED_WHEN_RUNNING) : ok(null);
        return checked(ok(withChargeMembers(charge, override, CHARGE_OVERRIDABLE)), isAllowed);
      }),
    );
    return checked(charges, holds(byId.size === overrides.length, "id", "value_already_exist"));
  });
}

/** The members of a commitment that a change does not name stay. */
function withCommitment({ minimumCommitment }: PlanDefinition, change: Members): Members {
  const given = change.minimum_commitment;
  if (!minimumCommitment || !isMembers(given) || Object.keys(given).length === 0) return change;
  const current = commitmentMembers(minimumCommitment);
  const tax_codes = given.taxes === undefined ? current.tax_codes : null;
  return { ...change, minimum_commitment: { ...current, tax_codes, ...given } };
}

const withMetricsOf = ({ charges }: PlanDefinition, metrics: MetricsById): MetricsById =>
  new Map([...metrics, ...charges.map(({ metricId, metric }) => [metricId, metric] as const)]);

const withIdsOf = (charge: ChargeDefinition, known: ChargeDefinition | null): ChargeDefinition =>
  known === null ? charge : { ...charge, id: known.id, filters: withFilterIdsOf(charge.filters, known.filters) };

/** Kept filters come first, in their order: if two filters match an event equally well, the older takes it. */
function withFilterIdsOf(
  filters: readonly ChargeFilterDefinition[],
  known: readonly ChargeFilterDefinition[],
): ChargeFilterDefinition[] {
  const left = [...filters];
  const kept = known.flatMap(({ id, values }) => {
    const index = left.findIndex((filter) => haveSameValues(filter.values, values));
    return index < 0 ? [] : left.splice(index, 1).map((filter) => ({ ...filter, id }));
  });
  return [...kept, ...left];
}
