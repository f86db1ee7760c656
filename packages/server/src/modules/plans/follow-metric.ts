/** Plans follow the metrics of their charges: values that a metric loses leave filters, and charges go with their metric. */
import { filtersAfterMetricUpdate } from "@tallystick/core/catalog";
import type { Tx } from "../../platform/postgres/database.ts";
import { type MetricRow, toCoreMetric } from "../billable-metrics/index.ts";
import { saveVersions } from "./save-versions.ts";
import { findTerms, lockPlansWithChargeOn } from "./store.ts";
import type { ChargeTerms } from "./terms.ts";

/** `metric` is locked, and as it is after the change. */
export async function removeVanishedFilterValues(
  tx: Tx,
  organizationId: string,
  row: MetricRow,
  now: Temporal.Instant,
): Promise<void> {
  const metric = toCoreMetric(row);
  await editCharges(tx, organizationId, { metricId: row.id, now }, (charge) => [
    { ...charge, filters: filtersAfterMetricUpdate(charge.filters, metric) },
  ]);
}

/** The metric is locked. */
export const removeChargesOn = (
  tx: Tx,
  organizationId: string,
  metricId: string,
  now: Temporal.Instant,
): Promise<void> => editCharges(tx, organizationId, { metricId, now }, () => []);

/** Each charge on the metric becomes what `edit` makes of it, in a new version of its plan. */
async function editCharges(
  tx: Tx,
  organizationId: string,
  { metricId, now }: { metricId: string; now: Temporal.Instant },
  edit: (charge: ChargeTerms) => ChargeTerms[],
): Promise<void> {
  const rows = await lockPlansWithChargeOn(tx, organizationId, metricId);
  const versions = await findTerms(
    tx,
    organizationId,
    rows.map(({ id }) => id),
  );
  const termsOf = new Map(versions.map(({ plan_id, terms }) => [plan_id, terms]));
  const edits = rows.flatMap((row) => {
    const before = termsOf.get(row.id);
    if (!before) return [];
    const charges = before.charges.flatMap((charge) =>
      charge.billable_metric_id === metricId ? edit(charge) : [charge],
    );
    return [{ row, before, after: { ...before, charges } }];
  });
  await saveVersions(tx, organizationId, edits, now);
}
