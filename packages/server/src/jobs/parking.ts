/** Work that cannot be done is parked, one item at a time, so that everything else goes on. A module stores the parked items. */
import { sql } from "kysely";
import type { Batch } from "../platform/postgres/batch.ts";
import type { Tx } from "../platform/postgres/database.ts";
import { reasonOf } from "./failures.ts";

export type ParkedObject = { type: string; id: string; externalId?: string | null };

export type Parked = {
  kind: "event" | "invoice" | "wallet";
  object: ParkedObject;
  customerId: string | null;
  /** Which work failed, and on which item. With `work`, it can be retried. */
  source: string;
  itemId?: string;
  work?: object;
  reason: string;
  attempts?: number;
};

/** Stores the parked item, in the transaction that goes on without it. */
export type Park = (batch: Batch, organizationId: string, item: Parked, now: Temporal.Instant) => Promise<unknown>;

/** A part of some work that the rest can go on without. */
export type Part = { source: string; itemId: string; work?: object };

/** Runs a part of the work, or parks the part if it fails. */
export type SetAside = (part: Part, work: () => Promise<void>) => Promise<void>;

/** If `work` fails, it is rolled back, `onFailure` runs, and the transaction goes on. */
export async function inSavepoint(
  tx: Tx,
  work: () => Promise<void>,
  onFailure: (reason: string) => Promise<void>,
): Promise<void> {
  await sql`savepoint part`.execute(tx);
  try {
    await work();
  } catch (error) {
    await sql`rollback to savepoint part`.execute(tx);
    await onFailure(reasonOf(error));
  }
  await sql`release savepoint part`.execute(tx);
}
