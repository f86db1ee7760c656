/** The beginning of a life: an organization with what it sells, a clock, a customer. */
import { isDeepStrictEqual } from "node:util";
import type { Members } from "../served-api.ts";
import { drawSetting, type MetricIds, type Setting, SUMS, toApiPlan } from "./catalogue.ts";
import { demand } from "./demand.ts";
import type { Dice } from "./dice.ts";
import { Session, type Stage } from "./session.ts";
import { demandShown } from "./shown-plan.ts";
import { toApiTrafficMetric } from "./traffic.ts";
import { CUSTOMER, newWorld, type World } from "./world.ts";

export async function begin(stage: Stage, name: string, dice: Dice): Promise<World> {
  const setting = drawSetting(dice);
  const session = await Session.open(stage, name, setting.currency.exponent);
  const { hasOwnZone, zone } = setting;
  if (!hasOwnZone) await session.must("PUT", "/organizations", { organization: { timezone: zone } });
  const metricIds = await sell(session, setting);
  const clockId = await session.openClock(setting.start);
  await session.must("POST", "/customers", {
    customer: {
      external_id: CUSTOMER,
      currency: setting.currency.code,
      ...(hasOwnZone ? { timezone: zone } : {}),
      test_clock_id: clockId,
      tax_codes: setting.taxCodes,
      net_payment_term: setting.netPaymentTerm,
      billing_configuration: { invoice_grace_period: setting.graceDays },
    },
  });
  return newWorld(session, setting, { clockId, metricIds });
}

type ApiMetric = { billable_metric: { svc_id: string } };

async function sell(session: Session, { taxRate, plans, coupons, currency, traffic }: Setting): Promise<MetricIds> {
  const ids: Record<string, string> = {};
  if (taxRate > 0)
    await session.must("POST", "/taxes", {
      tax: { name: "VAT", code: "vat", rate: String(taxRate), applied_to_organization: true },
    });
  await session.must("POST", "/taxes", { tax: { name: "City", code: "city", rate: "10" } });
  const sums = SUMS.map((code) => ({
    ...{ name: code, code, aggregation_type: "sum_agg", field_name: "value" },
    recurring: code === "seats",
  }));
  for (const metric of [...sums, toApiTrafficMetric(traffic)]) {
    const made = await session.must<ApiMetric>("POST", "/billable_metrics", { billable_metric: metric });
    ids[String(metric.code)] = made.billable_metric.svc_id;
  }
  for (const plan of plans) await makePlan(session, toApiPlan(plan, ids, currency));
  for (const coupon of coupons)
    await session.must("POST", "/coupons", { coupon: { name: coupon.code, expiration: "no_expiration", ...coupon } });
  const addOn = { name: "setup", code: "setup", amount_cents: 4900, amount_currency: currency.code };
  await session.must("POST", "/add_ons", { add_on: addOn });
  return ids;
}

type ApiPlan = { plan: Members & { charges: { svc_id: string }[] } };

/** Shown as it was sent, and still so when it is changed into itself. */
async function makePlan(session: Session, plan: Members & { charges: Members[] }): Promise<void> {
  const { plan: shown } = await session.must<ApiPlan>("POST", "/plans", { plan });
  demandShown(plan, shown);
  const charges = plan.charges.map((charge, index) => ({ ...charge, id: shown.charges[index]?.svc_id }));
  const { plan: again } = await session.must<ApiPlan>("PUT", `/plans/${plan.code}`, { plan: { ...plan, charges } });
  demand("planChangedByItself", isDeepStrictEqual(again, shown), () => ({ shown, again }));
}
