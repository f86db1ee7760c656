/** GET /customers/{id}/past_usage: the usage of closed periods, as billed. */

import { sumDecimals } from "@tallystick/core/money";
import { lastSecond } from "@tallystick/core/time";
import { toApiDecimal, toApiInstant } from "../../../http/fields.ts";
import type { Page } from "../../../http/pagination.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { billableMetricErrors, findMetricsByCode } from "../../catalogue/index.ts";
import { customerErrors, findCustomer } from "../../customers/index.ts";
import type { ApiCustomerUsage } from "../../usage/index.ts";
import { type FeeItemTexts, type FeeRow, findFeesOfInvoices } from "../fees/index.ts";
import { pageOfUsagePeriods, type UsagePeriodRow } from "./store.ts";

type Requested = { externalCustomerId: string; externalSubscriptionId: string; metricCode: string | undefined };

export async function readPastUsage(
  tx: Tx,
  organizationId: string,
  { externalCustomerId, externalSubscriptionId, metricCode }: Requested,
  page: Page,
): Promise<{ periods: ApiCustomerUsage[]; total: number }> {
  const customer = await findCustomer(tx, organizationId, externalCustomerId);
  if (!customer) throw customerErrors.problem("customer_not_found", [externalCustomerId]);
  if (metricCode !== undefined && (await findMetricsByCode(tx, organizationId, [metricCode])).length === 0)
    throw billableMetricErrors.problem("billable_metric_not_found", [metricCode]);
  const requested = { customerId: customer.id, externalId: externalSubscriptionId };
  const { rows, total } = await pageOfUsagePeriods(tx, organizationId, requested, page);
  const fees = await findFeesOfInvoices(
    alone(tx),
    organizationId,
    rows.map(({ invoice_id }) => invoice_id),
  );
  const isShown = (fee: FeeRow) =>
    fee.fee_type === "charge" && !fee.is_renewal && (metricCode === undefined || fee.item_code === metricCode);
  const byBill = Map.groupBy(fees.filter(isShown), ({ bill_id }) => bill_id);
  return { periods: rows.map((period) => toApiPeriod(period, byBill.get(period.bill_id) ?? [])), total };
}

function toApiPeriod(period: UsagePeriodRow, fees: readonly FeeRow[]): ApiCustomerUsage {
  const amount = sumOf(fees, ({ amount_cents }) => amount_cents);
  const taxes = sumOf(fees, ({ taxes_amount_cents }) => taxes_amount_cents);
  const byCharge = Map.groupBy(fees, ({ charge_id }) => charge_id ?? "");
  return {
    from_datetime: toApiInstant(period.charges_from),
    to_datetime: toApiInstant(lastSecond(period.charges_to)),
    issuing_date: period.issuing_date.toString(),
    currency: period.currency,
    amount_cents: amount,
    taxes_amount_cents: taxes,
    total_amount_cents: amount + taxes,
    svc_invoice_id: period.invoice_id,
    charges_usage: [...byCharge].flatMap(([chargeId, of]) => toApiCharge(chargeId, of, period.currency)),
  };
}

type ApiChargeUsage = ApiCustomerUsage["charges_usage"][number];

function toApiCharge(chargeId: string, fees: readonly FeeRow[], currency: string): ApiChargeUsage[] {
  const [first] = fees;
  if (!first) return [];
  const { name, charge } = first.item as FeeItemTexts;
  const counted = fees.filter(({ true_up_parent_fee_id }) => true_up_parent_fee_id === null);
  const isFiltered = counted.some(({ charge_filter_id }) => charge_filter_id !== null);
  const groups = Map.groupBy(counted, ({ grouped_by }) => JSON.stringify(grouped_by));
  const isGrouped = [...groups.keys()].some((group) => group !== "{}");
  return [
    {
      ...toApiSums(counted),
      amount_cents: sumOf(fees, ({ amount_cents }) => amount_cents),
      amount_currency: currency,
      charge: {
        svc_id: chargeId,
        charge_model: (charge?.model ?? "standard") as ApiChargeUsage["charge"]["charge_model"],
        invoice_display_name: charge?.invoice_display_name ?? null,
      },
      billable_metric: {
        svc_id: first.item_id,
        name,
        code: first.item_code,
        aggregation_type: charge?.aggregation_type ?? "",
      },
      filters: isFiltered ? toApiFilters(counted) : [],
      grouped_usage: isGrouped
        ? [...groups.values()].map((of) => ({
            ...toApiSums(of),
            grouped_by: of[0]?.grouped_by as Record<string, string | null>,
            filters: isFiltered ? toApiFilters(of) : [],
          }))
        : [],
    },
  ];
}

const toApiFilters = (fees: readonly FeeRow[]): ApiChargeUsage["filters"] =>
  [...Map.groupBy(fees, ({ charge_filter_id }) => charge_filter_id).values()].map((of) => {
    const texts = of[0]?.item as FeeItemTexts;
    return {
      ...toApiSums(of),
      invoice_display_name: texts.filter_invoice_display_name,
      values: texts.filters,
    };
  });

function toApiSums(fees: readonly FeeRow[]) {
  const units = toApiDecimal(sumDecimals(fees.map((fee) => fee.units)));
  return {
    units,
    total_aggregated_units: units,
    events_count: sumOf(fees, ({ events_count }) => events_count ?? 0n),
    amount_cents: sumOf(fees, ({ amount_cents }) => amount_cents),
  };
}

const sumOf = (fees: readonly FeeRow[], of: (fee: FeeRow) => bigint): bigint =>
  fees.reduce((sum, fee) => sum + of(fee), 0n);
