/** The model at the beginning of a life: a customer, and what is sold. */
import type { Setting } from "./catalogue.ts";
import type { Misreading } from "./model/misreadings.ts";
import { newCustomer } from "./model/requests.ts";
import type { World as Model, PlanTerms as ModelPlan } from "./model/world.ts";

export function newModel(setting: Setting, externalId: string, misreading: Misreading | null): Model {
  const { start, zone, hasOwnZone, plans, currency } = setting;
  const customer = newCustomer(externalId, { isOnTestClock: true, zone, hasOwnZone });
  customer.currency = currency.code;
  const terms = plans.map((plan): ModelPlan => ({ ...plan, currency: currency.code }));
  return {
    now: start,
    realNow: start,
    settleSeconds: 0,
    zone: hasOwnZone ? "UTC" : zone,
    customers: [customer],
    lives: [],
    plans: new Map(terms.map((plan) => [plan.code, plan])),
    misreading,
  };
}
