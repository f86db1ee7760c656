/** A plan in a file, with its charges, their filters and its minimum commitment. */
import { type ChargeDefinition, codesOf, type Definition, type Members, pick, without } from "./definitions.ts";

type Coded = { code: string };
type ChargeRecord = ChargeDefinition & { svc_id: string; taxes: Coded[] };
export type PlanRecord = Coded &
  Members & { taxes: Coded[]; charges: ChargeRecord[] } & {
    minimum_commitment?: Members & { taxes: Coded[] };
  };

const PLAN = {
  ...{ invoice_display_name: null, description: null, trial_period: 0, bill_charges_monthly: false },
  ...{ tax_codes: [], minimum_commitment: null, charges: [] },
};
const COMMITMENT = { invoice_display_name: null, tax_codes: [] };
const CHARGE = {
  ...{ invoice_display_name: null, pay_in_advance: false, invoiceable: true, regroup_paid_fees: null },
  ...{ prorated: false, min_amount_cents: 0, properties: {}, filters: [], tax_codes: [] },
};
const FILTER = { invoice_display_name: null, properties: {} };

const OWN = ["name", "interval", "amount_cents", "amount_currency", "pay_in_advance"];
const PLAN_MEMBERS = [...OWN, "invoice_display_name", "description", "trial_period", "bill_charges_monthly"];
const COMMITMENT_MEMBERS = ["amount_cents", "invoice_display_name"];
const CHARGE_MEMBERS = Object.keys(CHARGE);
const FILTER_MEMBERS = ["values", ...Object.keys(FILTER)];

export const planOf = ({
  code,
  taxes,
  charges,
  minimum_commitment: commitment,
  ...record
}: PlanRecord): Definition => ({
  code,
  ...pick(record, PLAN_MEMBERS),
  tax_codes: codesOf(taxes),
  minimum_commitment: commitment
    ? { ...pick(commitment, COMMITMENT_MEMBERS), tax_codes: codesOf(commitment.taxes) }
    : null,
  charges: charges.map((charge) => ({
    billable_metric_code: charge.billable_metric_code,
    charge_model: charge.charge_model,
    ...pick(charge, CHARGE_MEMBERS),
    filters: (charge.filters ?? []).map((filter) => pick(filter, FILTER_MEMBERS)),
    tax_codes: codesOf(charge.taxes),
  })),
});

export function normalizePlan({ code, ...plan }: Definition): Definition {
  const commitment = plan.minimum_commitment as Members | null | undefined;
  return {
    code,
    ...without(PLAN, {
      ...plan,
      minimum_commitment: commitment ? without(COMMITMENT, commitment) : null,
      charges: (plan.charges ?? []).map((charge) =>
        without(CHARGE, { ...charge, filters: (charge.filters ?? []).map((filter) => without(FILTER, filter)) }),
      ),
    }),
  };
}

/** The body of a request. A charge that is on the plan keeps its id, and so its past. */
export function chargesOf(plan: Definition, before: readonly ChargeRecord[]): Members {
  const ids = new Map(keyed(before).map(([key, { svc_id }]) => [key, svc_id]));
  const charges = keyed(plan.charges ?? []).map(([key, charge]) => {
    const id = ids.get(key);
    return { ...CHARGE, ...charge, ...(id === undefined ? {} : { id }) };
  });
  return { ...PLAN, ...plan, charges };
}

/** Charges of one metric with one model are distinguished by their order. */
export function keyed<Charge extends ChargeDefinition>(charges: readonly Charge[]): [key: string, charge: Charge][] {
  const counts = new Map<string, number>();
  return charges.map((charge) => {
    const key = `${charge.billable_metric_code}/${charge.charge_model}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return [count === 1 ? key : `${key}#${count}`, charge];
  });
}
