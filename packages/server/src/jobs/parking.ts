/** What cannot be done is set aside, one thing at a time, so that everything else goes on. A module keeps what was set aside. */
import { sql } from "kysely";
import type { Batch } from "../platform/postgres/batch.ts";
import type { Tx } from "../platform/postgres/database.ts";
import { reasonOf } from "./failures.ts";

export type ParkedObject = { type: string; id: string; externalId?: string | null };

export type Parked = {
  kind: "event" | "invoice" | "wallet";
  object: ParkedObject;
  customerId: string | null;
  /** Which work could not do it, and what exactly; with `work` it can be tried again. */
  source: string;
  itemId?: string;
  work?: object;
  reason: string;
  attempts?: number;
};

/** Lists it, in the transaction that goes on without it. */
export type Park = (batch: Batch, organizationId: string, item: Parked, now: Temporal.Instant) => Promise<unknown>;

/** A part of some work that the rest can go on without. */
export type Part = { source: string; itemId: string; work?: object };

/** Does a part, or sets it aside where it fails. */
export type SetAside = (part: Part, work: () => Promise<void>) => Promise<void>;

/** If `work` fails nothing of it is done, `onFailure` is, and the transaction goes on. */
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
