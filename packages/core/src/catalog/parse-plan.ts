/** Validates a plan. */
import { type Decimal, decimal, ZERO } from "../money/index.ts";
import { INTERVALS } from "../time/index.ts";
import {
  cents,
  codes,
  currencyCode,
  flag,
  isMembers,
  listOf,
  longText,
  type Members,
  name,
  object,
  oneOf,
  optional,
  type Reader,
  required,
  shortText,
} from "./members.ts";
import { chargeMembers, type MetricsById, parseCharge } from "./parse-charge.ts";
import { type CommitmentDefinition, mayBillChargesMonthly, type PlanDefinition } from "./plan.ts";
import { andThen, combine, type Faults, fault, ok, type Result } from "./result.ts";

/** A hundred years. After that, the end of a trial could be a date that cannot be shown. */
const TRIAL_DAYS_MAX = 36_500;

/** A plan from the members of a request; the charges name metrics by id. */
export function parsePlan(input: Members, metrics: MetricsById): Result<PlanDefinition, Faults> {
  const interval = required(input, "interval", oneOf(INTERVALS));
  const monthly = optional(input, "bill_charges_monthly", flag, false);
  return combine({
    name: required(input, "name", name),
    code: required(input, "code", name),
    invoiceDisplayName: optional(input, "invoice_display_name", shortText, null),
    description: optional(input, "description", longText, null),
    interval,
    amountMinor: required(input, "amount_cents", cents(0n)),
    currency: required(input, "amount_currency", currencyCode),
    isPaidInAdvance: required(input, "pay_in_advance", flag),
    trialDays: optional(input, "trial_period", days, ZERO),
    areChargesMonthly: andThen(combine({ interval, monthly }), ({ interval, monthly }) =>
      ok(monthly && mayBillChargesMonthly(interval)),
    ),
    taxCodes: optional(input, "tax_codes", codes, []),
    charges: optional(input, "charges", listOf(object((charge) => parseCharge(charge, metrics))), []),
    minimumCommitment: optional(input, "minimum_commitment", commitment, null),
  });
}

/** The members of the API that make this plan. */
export function planMembers(plan: PlanDefinition): Members {
  return {
    name: plan.name,
    code: plan.code,
    invoice_display_name: plan.invoiceDisplayName,
    description: plan.description,
    interval: plan.interval,
    amount_cents: Number(plan.amountMinor),
    amount_currency: plan.currency,
    pay_in_advance: plan.isPaidInAdvance,
    trial_period: Number(plan.trialDays.toFixed()),
    bill_charges_monthly: mayBillChargesMonthly(plan.interval) ? plan.areChargesMonthly : null,
    tax_codes: plan.taxCodes,
    charges: plan.charges.map(chargeMembers),
    minimum_commitment: plan.minimumCommitment && commitmentMembers(plan.minimumCommitment),
  };
}

/** A JSON number of days by its shortest decimal: 0.1 is one tenth. */
const days: Reader<Decimal> = (value, field) => {
  if (typeof value !== "number") return fault(field, "value_is_invalid");
  return value >= 0 && value <= TRIAL_DAYS_MAX ? ok(decimal(String(value))) : fault(field, "value_is_out_of_range");
};

/** An empty object removes the commitment. */
const commitment: Reader<CommitmentDefinition | null> = (value, field) =>
  isMembers(value) && Object.keys(value).length === 0 ? ok(null) : object(parseCommitment)(value, field);

function parseCommitment(input: Members): Result<CommitmentDefinition, Faults> {
  return combine({
    amountMinor: required(input, "amount_cents", cents(1n)),
    invoiceDisplayName: optional(input, "invoice_display_name", shortText, null),
    taxCodes: readTaxCodes(input),
  });
}

/** A commitment can also name its taxes as `taxes`, by code or in their API form. Both are read, so that a wrong one is reported. */
const readTaxCodes = (input: Members): Result<string[], Faults> =>
  andThen(
    combine({
      byCode: optional(input, "tax_codes", codes, null),
      shown: optional({ taxes: codesOf(input.taxes) }, "taxes", codes, []),
    }),
    ({ byCode, shown }) => ok(byCode ?? shown),
  );

const codesOf = (taxes: unknown): unknown =>
  Array.isArray(taxes) ? taxes.map((tax) => (isMembers(tax) ? tax.code : tax)) : taxes;

/** The members of the API that make this commitment. */
export const commitmentMembers = ({ amountMinor, invoiceDisplayName, taxCodes }: CommitmentDefinition): Members => ({
  amount_cents: Number(amountMinor),
  invoice_display_name: invoiceDisplayName,
  tax_codes: taxCodes,
});
