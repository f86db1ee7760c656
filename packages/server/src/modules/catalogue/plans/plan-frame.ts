/** The terms of a plan that the life of a subscription depends on. */
import assert from "node:assert/strict";
import type { PlanFrame } from "@tallystick/core/catalog";
import { currency, decimal, minor } from "@tallystick/core/money";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findTerms } from "./find-terms.ts";
import type { PlanTerms } from "./terms.ts";

/** The terms of a plan without its charges. */
export type FrameTerms = Omit<PlanTerms, "charges">;

export const toPlanFrame = (terms: FrameTerms): PlanFrame => ({
  code: terms.code,
  interval: terms.interval,
  amountMinor: minor(BigInt(terms.amount_cents)),
  currency: currency(terms.amount_currency),
  isPaidInAdvance: terms.pay_in_advance,
  trialDays: decimal(String(terms.trial_period)),
  areChargesMonthly: terms.bill_charges_monthly === true,
});

export async function findPlanFrame(tx: Tx, organizationId: string, planId: string): Promise<PlanFrame> {
  const [version] = await findTerms(tx, organizationId, [planId]);
  assert(version, "a plan has the version that it names");
  return toPlanFrame(version.terms);
}
