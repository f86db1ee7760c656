/** Reads how a fee was measured: the window that its invoice counted, and the plan version that priced it. This folder owns no table. */
import type { Metric } from "@tallystick/core/catalog";
import type { Accepted } from "@tallystick/core/subscription";
import { sql } from "kysely";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { PlanTerms } from "../../catalogue/index.ts";

export type MeasuredRow = {
  external_subscription_id: string;
  code: string;
  from_at: Temporal.Instant;
  cut: bigint[];
  plan_id: string;
  metric: Pick<Metric, "aggregation" | "filters">;
  /** The value of the fee's bill. */
  accepted_before: Accepted | null;
  /** Only with the charges on this metric. */
  terms: PlanTerms;
};

/** A fee that was kept while its draft was recomputed has its own window. Other fees use the window of their bill. */
export async function findMeasured(
  tx: Tx,
  organizationId: string,
  { feeId, billId, metricId }: { feeId: string; billId: string; metricId: string },
): Promise<MeasuredRow | undefined> {
  const { rows } = await sql<MeasuredRow>`
    select counted.external_subscription_id, counted.code, counted.from_at, counted.cut, counted.plan_id, counted.metric,
      (select windows -> 'acceptedBefore' from bills where organization_id = ${organizationId} and id = ${billId}::uuid) as accepted_before,
      version.terms || jsonb_build_object('charges', (
        select coalesce(jsonb_agg(charge order by place), '[]')
        from jsonb_array_elements(version.terms -> 'charges') with ordinality as listed (charge, place)
        where charge ->> 'billable_metric_id' = ${metricId}
      )) as terms
    from (
      select external_subscription_id, code, from_at, cut, plan_id, plan_version, metric, true as is_own
      from kept_windows where organization_id = ${organizationId} and fee_id = ${feeId}::uuid
      union all
      select external_subscription_id, code, from_at, cut, plan_id, plan_version, metric, false
      from counted_windows where organization_id = ${organizationId} and bill_id = ${billId}::uuid
        and billable_metric_id = ${metricId}::uuid
    ) as counted
    join plan_versions as version on version.organization_id = ${organizationId} and version.plan_id = counted.plan_id
      and version.version = counted.plan_version
    order by counted.is_own desc limit 1`.execute(tx);
  return rows[0];
}

export type SingleEvent = { id: string; transaction_id: string; timestamp: Temporal.Instant };

/** The event of a fee in advance. Its key remains after the payload is deleted. */
export async function findSingleEvent(
  tx: Tx,
  organizationId: string,
  { id, transactionId }: { id: string; transactionId: string },
): Promise<SingleEvent | undefined> {
  return tx
    .selectFrom("event_keys")
    .select(["id", "transaction_id", "timestamp"])
    .where("organization_id", "=", organizationId)
    .where("transaction_id", "=", transactionId)
    .where("id", "=", id)
    .executeTakeFirst();
}
