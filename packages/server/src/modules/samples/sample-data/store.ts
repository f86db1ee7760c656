/** All SQL on sample_data. */
import type { Actor } from "../../../http/caller.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { SampleDataRow } from "./schema.ts";

const COLUMNS = [
  ...(["status", "round", "makings", "progress", "customers", "invoices"] as const),
  ...(["test_clock_id", "error", "actor_kind", "actor_id", "started_at", "finished_at"] as const),
] as const;

export const findSampleData = (tx: Tx, organizationId: string): Promise<SampleDataRow | undefined> =>
  tx
    .selectFrom("sample_data")
    .select(COLUMNS)
    .where("organization_id", "=", organizationId)
    .executeTakeFirst() as Promise<SampleDataRow | undefined>;

/** Locks the row, so that requests come one after the other. */
export const lockSampleData = (tx: Tx, organizationId: string): Promise<SampleDataRow | undefined> =>
  tx
    .selectFrom("sample_data")
    .select(COLUMNS)
    .where("organization_id", "=", organizationId)
    .forUpdate()
    .executeTakeFirst() as Promise<SampleDataRow | undefined>;

export type Requested = { status: "making" | "removing"; actor: Actor; now: Temporal.Instant };

/** A new round: jobs of earlier ones stop. */
export function requestSampleData(
  tx: Tx,
  organizationId: string,
  { status, actor, now }: Requested,
): Promise<SampleDataRow> {
  const values = {
    ...{ status, actor_kind: actor.kind, actor_id: actor.id, started_at: now },
    ...{ progress: 0, error: null, finished_at: null },
  };
  return tx
    .insertInto("sample_data")
    .values({ organization_id: organizationId, round: 1, ...values })
    .onConflict((conflict) =>
      conflict.column("organization_id").doUpdateSet((row) => ({ ...values, round: row("sample_data.round", "+", 1) })),
    )
    .returning(COLUMNS)
    .executeTakeFirstOrThrow() as Promise<SampleDataRow>;
}

/** undefined: nothing is to be made or removed. */
export const beginMaking = (tx: Tx, organizationId: string): Promise<SampleDataRow | undefined> =>
  tx
    .updateTable("sample_data")
    .set((row) => ({ makings: row("makings", "+", 1) }))
    .where("organization_id", "=", organizationId)
    .where("status", "in", ["making", "removing"])
    .returning(COLUMNS)
    .executeTakeFirst() as Promise<SampleDataRow | undefined>;

export type Run = Pick<SampleDataRow, "round" | "makings">;
export type Progress = Partial<
  Pick<SampleDataRow, "status" | "progress" | "customers" | "invoices" | "test_clock_id" | "error" | "finished_at">
>;

/** false if the run is no longer the latest. */
export async function noteProgress(tx: Tx, organizationId: string, run: Run, progress: Progress): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("sample_data")
    // Also without progress: a run that waits only asks whether it is the latest.
    .set({ ...progress, round: run.round })
    .where("organization_id", "=", organizationId)
    .where("round", "=", run.round)
    .where("makings", "=", run.makings)
    .where("status", "in", ["making", "removing"])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
