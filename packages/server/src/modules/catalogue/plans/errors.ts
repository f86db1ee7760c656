import { defineErrors } from "../../../http/problem.ts";
import type { PlanRow } from "./to-api.ts";

const DECIMAL = 'Send text with digits and, where needed, a point: "12.5". A JSON number is refused';

export const planErrors = defineErrors({
  plan_not_found: { status: 404, meaning: "No plan of this organization has that code. Create it first." },
  relation_must_exist: {
    status: 422,
    meaning: "The id refers to an object that does not exist here. Look up the right id.",
  },
  not_changeable_in_use: {
    status: 422,
    meaning:
      "The plan has subscriptions, or the subscription has started, and their bills depend on this member. Send its current value or leave " +
      "it out; to change it, create a new plan and change the subscriptions to that plan.",
  },
  invalid_aggregation_type_or_charge_model: {
    status: 422,
    meaning:
      "A charge in advance prices each event separately. It cannot use the model `volume`, nor a metric that is a maximum, a latest value " +
      "or a weighted sum. Set `pay_in_advance` to false.",
  },
  invalid_billable_metric_or_charge_model: {
    status: 422,
    meaning:
      "Only recurring metrics other than weighted sums can be prorated, with the models `standard`, `graduated` and `volume`; in " +
      "advance only with `standard`. Set `prorated` to false.",
  },
  not_compatible_with_pay_in_advance: {
    status: 422,
    meaning: "A charge in advance cannot have a minimum. Leave out `min_amount_cents`.",
  },
  must_be_true_unless_pay_in_advance: {
    status: 422,
    meaning: "Only a charge in advance can be left off invoices. Set `invoiceable` or `pay_in_advance` to true.",
  },
  only_compatible_with_pay_in_advance_and_non_invoiceable: {
    status: 422,
    meaning:
      "Only fees in advance that are not invoiced can be regrouped after payment. Leave out `regroup_paid_fees`.",
  },
  invalid_amount: { status: 422, meaning: `An amount in \`properties\` is not a decimal of 0 or more. ${DECIMAL}.` },
  invalid_rate: { status: 422, meaning: `\`rate\` is not a decimal of 0 or more. ${DECIMAL}.` },
  invalid_fixed_amount: { status: 422, meaning: `\`fixed_amount\` is not a decimal of 0 or more. ${DECIMAL}.` },
  invalid_free_units: { status: 422, meaning: "`free_units` is not a whole JSON number of 0 or more." },
  invalid_package_size: { status: 422, meaning: "`package_size` is not a whole JSON number of 1 or more." },
  invalid_free_units_per_events: {
    status: 422,
    meaning: "`free_units_per_events` is not a whole JSON number of 1 or more. Leave it out for none.",
  },
  invalid_free_units_per_total_aggregation: {
    status: 422,
    meaning: `\`free_units_per_total_aggregation\` is not a decimal of 0 or more. ${DECIMAL}.`,
  },
  per_transaction_max_lower_than_per_transaction_min: {
    status: 422,
    meaning:
      "`per_transaction_max_amount` is below `per_transaction_min_amount`. Raise the maximum or lower the minimum.",
  },
  ...rangeCodes("graduated_ranges"),
  ...rangeCodes("volume_ranges"),
  ...rangeCodes("graduated_percentage_ranges"),
  invalid_value: {
    status: 422,
    meaning:
      "A percentage charge needs the value of each event, which a metric of the latest value does not have. Choose another charge model.",
  },
  invalid_type: { status: 422, meaning: "`grouped_by` is not a list of event property names." },
});

function rangeCodes<const Name extends string>(name: Name) {
  const codes = {
    [`missing_${name}`]: { status: 422, meaning: `\`properties\` have no \`${name}\`. Send a list with at least one.` },
    [`invalid_${name}`]: {
      status: 422,
      meaning: `\`${name}\` must begin at 0, join without gap or overlap, and end with a range whose \`to_value\` is null.`,
    },
  };
  return codes as Record<`missing_${Name}` | `invalid_${Name}`, { status: 422; meaning: string }>;
}

/** The plan that a request names, or the refusal. */
export function existing(plan: PlanRow | undefined): PlanRow {
  if (!plan) throw planErrors.problem("plan_not_found");
  return plan;
}
