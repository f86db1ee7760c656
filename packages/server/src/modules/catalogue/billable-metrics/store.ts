/** All SQL on billable metrics. A deleted metric stays for the invoices that show it, and no charge uses it. */

import { type Insertable, sql, type Updateable } from "kysely";
import { validate as isUuid } from "uuid";
import type { ListRequest } from "../../../http/list-query.ts";
import { CODED_COLUMNS, pageOf } from "../../../http/page-of.ts";
import { anyOf } from "../../../platform/postgres/any-of.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import type { MetricRow } from "./schema.ts";

const live = (tx: Tx, organizationId: string) =>
  tx
    .selectFrom("billable_metrics")
    .selectAll("billable_metrics")
    .where("billable_metrics.organization_id", "=", organizationId)
    .where("billable_metrics.deleted_at", "is", null);

export const findMetric = (tx: Tx, organizationId: string, code: string): Promise<MetricRow | undefined> =>
  live(tx, organizationId).where("code", "=", code).executeTakeFirst();

/** Also blocks new charges on it meanwhile: a new charge locks its metric. */
export const lockMetric = (tx: Tx, organizationId: string, code: string): Promise<MetricRow | undefined> =>
  live(tx, organizationId).where("code", "=", code).forUpdate().executeTakeFirst();

/** An id that is not a UUID matches nothing: clients may send any text. */
export const findMetricsById = (tx: Tx, organizationId: string, ids: readonly string[]): Promise<MetricRow[]> =>
  live(tx, organizationId)
    .where("id", "=", anyOf(ids.filter((id) => isUuid(id))))
    .orderBy("created_at")
    .execute();

/** Includes deleted metrics: they still bill periods that ended before the deletion. */
export const findMetricsEverUsed = (tx: Tx, organizationId: string, ids: readonly string[]): Promise<MetricRow[]> =>
  tx
    .selectFrom("billable_metrics")
    .selectAll("billable_metrics")
    .where("organization_id", "=", organizationId)
    .where("id", "=", anyOf(ids))
    .orderBy("created_at")
    .execute();

export const findMetricsByCode = (tx: Tx, organizationId: string, codes: readonly string[]): Promise<MetricRow[]> =>
  live(tx, organizationId).where("code", "=", sql<string>`any(${codes}::text[])`).orderBy("created_at").execute();

export const pageOfMetrics = (tx: Tx, organizationId: string, list: ListRequest) =>
  pageOf(live(tx, organizationId), list, CODED_COLUMNS);

export const insertMetric = (
  tx: Tx,
  organizationId: string,
  metric: Omit<Insertable<DB["billable_metrics"]>, "organization_id">,
): Promise<MetricRow> =>
  tx
    .insertInto("billable_metrics")
    .values({ ...metric, organization_id: organizationId })
    .returningAll()
    .executeTakeFirstOrThrow();

export const updateMetric = (
  tx: Tx,
  organizationId: string,
  id: string,
  changes: Updateable<DB["billable_metrics"]>,
): Promise<MetricRow> =>
  tx
    .updateTable("billable_metrics")
    .set(changes)
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** The charges of live plans, including plans of a single subscription. */
const liveCharges = (tx: Tx, organizationId: string, metricIds: readonly string[]) =>
  tx
    .selectFrom("charges")
    .innerJoin("plans", (join) =>
      join
        .onRef("plans.organization_id", "=", "charges.organization_id")
        .onRef("plans.id", "=", "charges.plan_id")
        .on("plans.deleted_at", "is", null),
    )
    .where("charges.organization_id", "=", organizationId)
    .where("charges.billable_metric_id", "=", anyOf(metricIds))
    .where("charges.deleted_at", "is", null);

export async function isAttached(tx: Tx, organizationId: string, metricId: string): Promise<boolean> {
  const charge = await liveCharges(tx, organizationId, [metricId]).select("charges.id").limit(1).executeTakeFirst();
  return charge !== undefined;
}

/** For each metric, the listed plans with a charge on it. Plans of a single subscription are not counted. */
export const countPlans = (tx: Tx, organizationId: string, metricIds: readonly string[]) =>
  liveCharges(tx, organizationId, metricIds)
    .where("plans.parent_id", "is", null)
    .select(["charges.billable_metric_id", (count) => count.fn.count<bigint>("charges.plan_id").distinct().as("plans")])
    .groupBy("charges.billable_metric_id")
    .execute();
