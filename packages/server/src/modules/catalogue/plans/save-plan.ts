/** Saves a plan with its version, charges, commitment and taxes. */
import { isDeepStrictEqual } from "node:util";
import type { PlanDefinition } from "@tallystick/core/catalog";
import { newId } from "../../../platform/new-id.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { holdTaxes } from "../taxes/index.ts";
import type { LoadedPlan } from "./load-plans.ts";
import { addVersions, keepChargesEqual, saveVersions } from "./save-versions.ts";
import {
  deleteRows,
  deleteTaxLinks,
  insertCommitment,
  insertPlan,
  insertTaxLinks,
  type Taxed,
  type TaxLink,
  touchCommitment,
} from "./store.ts";
import { type StoredPlan, toTerms, withIds } from "./terms.ts";
import type { PlanRow } from "./to-api.ts";

/** `madeAt` is on the real clock, `now` possibly on a test clock. */
type NewPlan = { definition: PlanDefinition; parentId: string | null; madeAt: Temporal.Instant };

/** With a parent it is the plan of a single subscription: it has the parent's code and is not listed. */
export async function saveNewPlan(
  tx: Tx,
  organizationId: string,
  { definition, parentId, madeAt }: NewPlan,
  now: Temporal.Instant,
): Promise<PlanRow> {
  const plan = withIds(definition);
  const terms = toTerms(plan);
  const taxIds = await findTaxIds(tx, organizationId, plan, new Map());
  const row = await insertPlan(tx, organizationId, { id: newId(), code: plan.code, parent_id: parentId }, now);
  await addVersions(tx, organizationId, [{ planId: row.id, version: row.version, terms, madeAt }], now);
  await keepChargesEqual(tx, organizationId, [{ planId: row.id, before: [], after: terms.charges }], now);
  const commitmentId = plan.minimumCommitment ? newId() : undefined;
  if (commitmentId) await insertCommitment(tx, organizationId, { id: commitmentId, plan_id: row.id }, now);
  const links = linksOf(plan, { planId: row.id, commitmentId }, taxIds);
  for (const taxed of KINDS) await insertTaxLinks(tx, organizationId, taxed, links[taxed]);
  return row;
}

type ChangedPlan = {
  loaded: LoadedPlan;
  current: StoredPlan;
  requested: PlanDefinition;
  madeAt: Temporal.Instant;
};

/** `current` is the plan that the terms of `loaded` describe. */
export async function saveChangedPlan(
  tx: Tx,
  organizationId: string,
  { loaded, current, requested, madeAt }: ChangedPlan,
  now: Temporal.Instant,
): Promise<{ areTaxesChanged: boolean }> {
  const { row, terms: before, commitment } = loaded;
  const plan = withIds(requested);
  const after = toTerms(plan);
  const known = new Map([...loaded.taxesOf.values()].flat().map(({ code, id }) => [code, id]));
  const taxIds = await findTaxIds(tx, organizationId, plan, known);
  await saveVersions(tx, organizationId, [{ row, before, after, madeAt }], now);

  const commitmentId = plan.minimumCommitment ? (commitment?.id ?? newId()) : undefined;
  const oldLinks = linksOf(current, { planId: row.id, commitmentId: commitment?.id }, known);
  const newLinks = linksOf(plan, { planId: row.id, commitmentId }, taxIds);
  const isCommitmentChanged =
    !isDeepStrictEqual(before.minimum_commitment, after.minimum_commitment) ||
    without(oldLinks.commitments, newLinks.commitments).length > 0 ||
    without(newLinks.commitments, oldLinks.commitments).length > 0;
  if (commitment && !commitmentId)
    await deleteRows(tx, organizationId, { table: "minimum_commitments", ids: [commitment.id] }, now);
  else if (commitmentId && !commitment)
    await insertCommitment(tx, organizationId, { id: commitmentId, plan_id: row.id }, now);
  else if (commitment && isCommitmentChanged) await touchCommitment(tx, organizationId, commitment.id, now);

  const kept = new Set([row.id, commitmentId, ...plan.charges.map(({ id }) => id)]);
  let areTaxesChanged = false;
  for (const taxed of KINDS) {
    const gone = without(oldLinks[taxed], newLinks[taxed]).filter(({ ownerId }) => kept.has(ownerId));
    const added = without(newLinks[taxed], oldLinks[taxed]);
    await deleteTaxLinks(tx, organizationId, taxed, gone);
    await insertTaxLinks(tx, organizationId, taxed, added);
    areTaxesChanged ||= gone.length > 0 || added.length > 0;
  }
  return { areTaxesChanged };
}

/** The ids of all taxes of the plan by code. Taxes that the plan has already are known, even if they are being deleted now. */
async function findTaxIds(
  tx: Tx,
  organizationId: string,
  { taxCodes, charges, minimumCommitment }: StoredPlan,
  known: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const named = [...taxCodes, ...charges.flatMap((charge) => charge.taxCodes), ...(minimumCommitment?.taxCodes ?? [])];
  const codes = named.filter((code) => !known.has(code));
  if (codes.length === 0) return known;
  const taxes = await holdTaxes(tx, organizationId, codes);
  return new Map([...known, ...taxes.map(({ code, id }) => [code, id] as const)]);
}

const KINDS = ["plans", "charges", "commitments"] as const satisfies Taxed[];

function linksOf(
  { taxCodes, charges, minimumCommitment }: StoredPlan,
  { planId, commitmentId = "" }: { planId: string; commitmentId: string | undefined },
  taxIds: ReadonlyMap<string, string>,
): Record<Taxed, TaxLink[]> {
  const links = (ownerId: string, codes: readonly string[]) =>
    codes.flatMap((code) => {
      const taxId = taxIds.get(code);
      return taxId === undefined ? [] : [{ ownerId, taxId }];
    });
  return {
    plans: links(planId, taxCodes),
    charges: charges.flatMap((charge) => links(charge.id, charge.taxCodes)),
    commitments: links(commitmentId, minimumCommitment?.taxCodes ?? []),
  };
}

function without(links: readonly TaxLink[], others: readonly TaxLink[]): TaxLink[] {
  const keys = new Set(others.map(({ ownerId, taxId }) => `${ownerId} ${taxId}`));
  return links.filter(({ ownerId, taxId }) => !keys.has(`${ownerId} ${taxId}`));
}
