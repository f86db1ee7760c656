/** Validates a charge: its price, its filters, and when it is billed. */
import { type Minor, minor } from "../money/index.ts";
import type { ChargeDefinition, ChargeTiming } from "./charge.ts";
import { filterMembers, parseChargeFilters } from "./charge-filters.ts";
import { cents, codes, flag, type Members, name, oneOf, optional, required, shortText } from "./members.ts";
import { isRecurring, type Metric } from "./metric.ts";
import { CHARGE_MODELS, type ChargeModel } from "./pricing.ts";
import { parsePricing, propertiesAsSent } from "./pricing-properties.ts";
import { andThen, checked, combine, type Faults, fault, holds, ok, type Result } from "./result.ts";

/** The metrics that the charges of a request refer to, by id. */
export type MetricsById = ReadonlyMap<string, Metric>;

type BillingOptions = {
  isPaidInAdvance: boolean;
  isInvoiceable: boolean;
  regroupsPaidFees: boolean;
  isProrated: boolean;
  minAmountMinor: Minor;
};

/** A charge from the members of a request. The caller assigns its id. */
export function parseCharge(input: Members, metrics: MetricsById): Result<ChargeDefinition, Faults> {
  const metricId = required(input, "billable_metric_id", name);
  const subject = combine({
    model: required(input, "charge_model", oneOf(CHARGE_MODELS)),
    metric: andThen(metricId, (id) => findMetric(id, metrics)),
  });
  const billing = andThen(readBillingOptions(input), (options) =>
    andThen(subject, ({ model, metric }) => billed(options, model, metric)),
  );
  const price = andThen(subject, ({ model, metric }) => parsePricing(model, input.properties, metric));
  return andThen(
    combine({
      id: ok(null),
      metricId,
      subject,
      price,
      properties: andThen(price, (read) => ok(propertiesAsSent(input.properties, read))),
      filters: andThen(subject, ({ model, metric }) => parseChargeFilters(input.filters, model, metric)),
      billing,
      invoiceDisplayName: optional(input, "invoice_display_name", shortText, null),
      taxCodes: optional(input, "tax_codes", codes, []),
    }),
    ({ subject, billing, ...charge }) => ok({ ...charge, ...billing, metric: subject.metric }),
  );
}

/** The members of the API that make this charge. */
export function chargeMembers({ timing, ...charge }: ChargeDefinition): Members {
  const isPaidInAdvance = timing.type === "in_advance";
  return {
    billable_metric_id: charge.metricId,
    charge_model: charge.price.pricing.model,
    pay_in_advance: isPaidInAdvance,
    invoiceable: !isPaidInAdvance || timing.invoicing === "invoice_each",
    regroup_paid_fees: isPaidInAdvance && timing.invoicing === "regroup_paid" ? "invoice" : null,
    prorated: charge.isProrated,
    min_amount_cents: isPaidInAdvance ? 0 : Number(timing.minAmountMinor),
    properties: charge.properties,
    filters: charge.filters.map(filterMembers),
    invoice_display_name: charge.invoiceDisplayName,
    tax_codes: charge.taxCodes,
  };
}

function findMetric(id: string, metrics: MetricsById): Result<Metric, Faults> {
  const metric = metrics.get(id);
  return metric === undefined ? fault("billable_metric_id", "relation_must_exist") : ok(metric);
}

function readBillingOptions(input: Members): Result<BillingOptions, Faults> {
  const regroup = optional(input, "regroup_paid_fees", oneOf(["invoice"]), null);
  return combine({
    isPaidInAdvance: optional(input, "pay_in_advance", flag, false),
    isInvoiceable: optional(input, "invoiceable", flag, true),
    regroupsPaidFees: andThen(regroup, (into) => ok(into !== null)),
    isProrated: optional(input, "prorated", flag, false),
    minAmountMinor: optional(input, "min_amount_cents", cents(0n), minor(0n)),
  });
}

function billed(
  options: BillingOptions,
  model: ChargeModel,
  metric: Metric,
): Result<{ timing: ChargeTiming; isProrated: boolean }, Faults> {
  const { isPaidInAdvance, isInvoiceable, regroupsPaidFees, isProrated, minAmountMinor } = options;
  return checked(
    ok({ timing: timingOf(options), isProrated }),
    holds(
      !isPaidInAdvance || mayBePaidInAdvance(model, metric),
      "pay_in_advance",
      "invalid_aggregation_type_or_charge_model",
    ),
    holds(
      !isProrated || mayBeProrated(isPaidInAdvance, model, metric),
      "prorated",
      "invalid_billable_metric_or_charge_model",
    ),
    holds(minAmountMinor === 0n || !isPaidInAdvance, "min_amount_cents", "not_compatible_with_pay_in_advance"),
    holds(isInvoiceable || isPaidInAdvance, "invoiceable", "must_be_true_unless_pay_in_advance"),
    holds(
      !regroupsPaidFees || (isPaidInAdvance && !isInvoiceable),
      "regroup_paid_fees",
      "only_compatible_with_pay_in_advance_and_non_invoiceable",
    ),
  );
}

function timingOf({ isPaidInAdvance, isInvoiceable, regroupsPaidFees, minAmountMinor }: BillingOptions): ChargeTiming {
  if (!isPaidInAdvance) return { type: "arrears", minAmountMinor };
  if (isInvoiceable) return { type: "in_advance", invoicing: "invoice_each" };
  return { type: "in_advance", invoicing: regroupsPaidFees ? "regroup_paid" : "no_invoice" };
}

/** A fee per event needs a price that never falls when usage grows, and a quantity that an event can add to. */
const mayBePaidInAdvance = (model: ChargeModel, { aggregation }: Metric): boolean =>
  model !== "volume" && ["count", "sum", "unique_count"].includes(aggregation.type);

const mayBeProrated = (isPaidInAdvance: boolean, model: ChargeModel, { aggregation }: Metric): boolean =>
  isRecurring(aggregation) &&
  aggregation.type !== "weighted_sum" &&
  (isPaidInAdvance ? ["standard"] : ["standard", "volume", "graduated"]).includes(model);
