/** Plans follow the metrics of their charges: removed values are removed from filters, and charges are deleted with their metric. */
import { filtersAfterMetricUpdate } from "@tallystick/core/catalog";
import type { Tx } from "../../../platform/postgres/database.ts";
import { type MetricRow, toCoreMetric } from "../billable-metrics/index.ts";
import { findTerms, type ReadVersion } from "./find-terms.ts";
import { takesOthers } from "./metrics-then.ts";
import { saveVersions } from "./save-versions.ts";
import { lockPlansWithChargeOn } from "./store.ts";
import type { ChargeTerms } from "./terms.ts";

/** `metric` is locked, in its state after the change. */
export async function removeVanishedFilterValues(
  tx: Tx,
  organizationId: string,
  row: MetricRow,
  now: Temporal.Instant,
): Promise<void> {
  const metric = toCoreMetric(row);
  const isReadOtherwise = ({ terms, metrics }: ReadVersion) =>
    terms.charges.some((charge) => charge.billable_metric_id === row.id && takesOthers(charge, metrics?.[row.id], row));
  await editCharges(tx, organizationId, { metricId: row.id, now, isReadOtherwise }, (charge) => [
    { ...charge, filters: filtersAfterMetricUpdate(charge.filters, metric) },
  ]);
}

/** The metric is locked. */
export const removeChargesOn = (
  tx: Tx,
  organizationId: string,
  metricId: string,
  now: Temporal.Instant,
): Promise<void> => editCharges(tx, organizationId, { metricId, now, isReadOtherwise: () => false }, () => []);

type MetricEdit = { metricId: string; now: Temporal.Instant; isReadOtherwise: (before: ReadVersion) => boolean };

/** Applies `edit` to each charge on the metric, in a new version of its plan. */
async function editCharges(
  tx: Tx,
  organizationId: string,
  { metricId, now, isReadOtherwise }: MetricEdit,
  edit: (charge: ChargeTerms) => ChargeTerms[],
): Promise<void> {
  const rows = await lockPlansWithChargeOn(tx, organizationId, metricId);
  const versions = await findTerms(
    tx,
    organizationId,
    rows.map(({ id }) => id),
  );
  const versionOf = new Map(versions.map((version) => [version.planId, version]));
  const edits = rows.flatMap((row) => {
    const version = versionOf.get(row.id);
    if (!version) return [];
    const { terms: before } = version;
    const charges = before.charges.flatMap((charge) =>
      charge.billable_metric_id === metricId ? edit(charge) : [charge],
    );
    return [{ row, before, after: { ...before, charges }, isReadOtherwise: isReadOtherwise(version) }];
  });
  await saveVersions(tx, organizationId, edits, now);
}
