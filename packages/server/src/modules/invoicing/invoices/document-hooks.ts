/** Hooks for the files of invoices and credit notes. `main` passes them in, because documents are above both. */
import type { FastifyRequest } from "fastify";
import type { Clock } from "../../../platform/clock.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";

type Filed = { svc_id: string; number: string; file_url: string | null };

export type DocumentHooks = {
  /** Runs in the transaction that issues an invoice or a credit note. */
  issue: (
    batch: Batch,
    organizationId: string,
    issued: { subject: { invoiceId: string } | { creditNoteId: string }; customerId: string; at: Temporal.Instant },
  ) => Promise<void>;
  /** Adds links to finished files to API records. */
  withFileUrls: <Shown extends Filed>(
    tx: Tx,
    organizationId: string,
    records: readonly Shown[],
    reader: { clock: Clock; request: Pick<FastifyRequest, "publicUrl"> },
  ) => Promise<Shown[]>;
};
