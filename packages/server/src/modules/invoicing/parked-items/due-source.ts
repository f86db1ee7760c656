/** A parked due instant: run later as of its own instant, or closed without running. */
import { type DueRegistry, prepareDues, runHeldDues } from "../../../jobs/due.ts";
import { findParkedDue, finishDues, unparkDue } from "../../../jobs/due-store.ts";
import type { Clock } from "../../../platform/clock.ts";
import { type Database, inOrganization, type Tx } from "../../../platform/postgres/database.ts";
import { parkedItemErrors } from "./errors.ts";
import type { ParkedSource } from "./resolve-item.ts";
import type { ParkedItemRow } from "./schema.ts";

export const dueSource = (
  { db, registry, clock }: { db: Database; registry: DueRegistry; clock: Clock },
  onSkipped?: (tx: Tx, item: ParkedItemRow) => Promise<void>,
): ParkedSource => ({
  retry: async ({ organization_id: organizationId, item_id: dueId }, settle) => {
    const due = await inOrganization(db, organizationId, (tx) => findParkedDue(tx, organizationId, dueId));
    const prepared = due ? await prepareDues(registry, [due]) : [];
    await inOrganization(db, organizationId, async (tx) => {
      await settle(tx);
      if (prepared.length === 0) return;
      await unparkDue(tx, organizationId, dueId);
      await runHeldDues(tx, registry, { organizationId, prepared }, clock.now());
    });
  },
  skip: async (tx, item) => {
    const { organization_id: organizationId, item_id: dueId } = item;
    if (!onSkipped) throw parkedItemErrors.problem("not_skippable");
    if (!(await findParkedDue(tx, organizationId, dueId))) return;
    await unparkDue(tx, organizationId, dueId);
    await finishDues(tx, organizationId, [dueId], clock.now());
    await onSkipped(tx, item);
  },
});
