/** The terms of a plan as stored in a version, and back to the form that core uses. */
import assert from "node:assert/strict";
import {
  type ChargeDefinition,
  type ChargeFilterDefinition,
  type ChargeModel,
  chargeMembers,
  type Members,
  type MetricsById,
  type PlanDefinition,
  parsePlan,
  planMembers,
} from "@tallystick/core/catalog";
import type { Interval } from "@tallystick/core/time";
import { newId } from "../../../platform/new-id.ts";

type FilterTerms = {
  id: string;
  values: Record<string, string[]>;
  properties: Members;
  invoice_display_name: string | null;
};
export type ChargeTerms = {
  id: string;
  billable_metric_id: string;
  charge_model: ChargeModel;
  pay_in_advance: boolean;
  invoiceable: boolean;
  regroup_paid_fees: "invoice" | null;
  prorated: boolean;
  min_amount_cents: number;
  properties: Members;
  filters: FilterTerms[];
  invoice_display_name: string | null;
};
/** The members of the API that define a plan, with the ids of its charges and their filters, without taxes. */
export type PlanTerms = {
  name: string;
  code: string;
  invoice_display_name: string | null;
  description: string | null;
  interval: Interval;
  amount_cents: number;
  amount_currency: string;
  pay_in_advance: boolean;
  trial_period: number;
  bill_charges_monthly: boolean | null;
  charges: ChargeTerms[];
  minimum_commitment: { amount_cents: number; invoice_display_name: string | null } | null;
};

type StoredFilter = Omit<ChargeFilterDefinition, "id"> & { readonly id: string };
export type StoredCharge = Omit<ChargeDefinition, "id" | "filters"> & {
  readonly id: string;
  readonly filters: readonly StoredFilter[];
};
/** A plan whose charges and filters all have ids. */
export type StoredPlan = Omit<PlanDefinition, "charges"> & { readonly charges: readonly StoredCharge[] };

/** Assigns an id to each charge and filter that has none; the others keep theirs. */
export function withIds(plan: PlanDefinition): StoredPlan {
  const charges = plan.charges.map((charge) => ({
    ...charge,
    id: charge.id ?? newId(),
    filters: charge.filters.map((filter) => ({ ...filter, id: filter.id ?? newId() })),
  }));
  return { ...plan, charges };
}

/** Core writes the members of the API, so their types are known only here. */
export function toTerms(plan: StoredPlan): PlanTerms {
  const { tax_codes: _, ...members } = planMembers(plan);
  const { minimumCommitment: commitment } = plan;
  const terms = {
    ...members,
    charges: plan.charges.map(toChargeTerms),
    minimum_commitment: commitment && {
      amount_cents: Number(commitment.amountMinor),
      invoice_display_name: commitment.invoiceDisplayName,
    },
  };
  return terms as unknown as PlanTerms;
}

function toChargeTerms(charge: StoredCharge): Members {
  const { tax_codes: _, filters, ...members } = chargeMembers(charge);
  return {
    ...members,
    id: charge.id,
    filters: (filters as Members[]).map((filter, index) => ({ ...filter, id: at(charge.filters, index).id })),
  };
}

/** The tax codes of a plan, its charges and its commitment, by the id of the taxed object. */
export type TaxCodes = { planId: string; commitmentId: string | undefined; codesOf: ReadonlyMap<string, string[]> };

/** The plan that the terms describe, with its current taxes. */
export function fromTerms(
  terms: PlanTerms,
  { planId, commitmentId = "", codesOf }: TaxCodes,
  metrics: MetricsById,
): StoredPlan {
  const taxed = <Part extends object>(part: Part, id: string) => ({ ...part, tax_codes: codesOf.get(id) ?? [] });
  const commitment = terms.minimum_commitment;
  const members = {
    ...taxed(terms, planId),
    charges: terms.charges.map((charge) => taxed(charge, charge.id)),
    minimum_commitment: commitment && taxed(commitment, commitmentId),
  };
  const parsed = parsePlan(members, metrics);
  assert(parsed.ok, "the newest terms of a plan are valid");
  const charges = parsed.value.charges.map((charge, index) => {
    const { id, filters } = at(terms.charges, index);
    return {
      ...charge,
      id,
      filters: charge.filters.map((filter, index) => ({ ...filter, id: at(filters, index).id })),
    };
  });
  return { ...parsed.value, charges };
}

function at<Item>(list: readonly Item[], index: number): Item {
  const item = list[index];
  assert(item !== undefined, "core reads as many charges and filters as the terms have");
  return item;
}
