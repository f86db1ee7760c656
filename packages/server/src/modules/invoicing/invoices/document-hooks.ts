/** What the service does with the files of invoices and credit notes; handed in, because documents stand above both. */
import type { FastifyRequest } from "fastify";
import type { Clock } from "../../../platform/clock.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";

type Filed = { svc_id: string; number: string; file_url: string | null };

export type DocumentHooks = {
  /** In the transaction that issues an invoice or a credit note. */
  issue: (
    batch: Batch,
    organizationId: string,
    issued: { subject: { invoiceId: string } | { creditNoteId: string }; customerId: string; at: Temporal.Instant },
  ) => Promise<void>;
  /** Records of the API with the links to their files, where those are made. */
  withFileUrls: <Shown extends Filed>(
    tx: Tx,
    organizationId: string,
    records: readonly Shown[],
    reader: { clock: Clock; request: Pick<FastifyRequest, "publicUrl"> },
  ) => Promise<Shown[]>;
};
