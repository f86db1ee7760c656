/** All SQL on documents and document_link_keys. */

import { createHash } from "node:crypto";
import type { Insertable, Selectable } from "kysely";
import { validate as isUuid } from "uuid";
import { anyOf } from "../../../platform/postgres/any-of.ts";
import { batchedWrite } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

/** Without the file. */
export type DocumentRow = Omit<Selectable<DB["documents"]>, "content">;

/** The invoice or credit note of a document. */
export type DocumentSubject = { invoiceId: string } | { creditNoteId: string };

const COLUMNS = [
  "organization_id",
  "id",
  "invoice_id",
  "credit_note_id",
  "locale",
  "template_version",
  "header",
  "logo_digest",
  "created_at",
  "digest",
  "made_at",
] as const;

const all = (tx: Tx, organizationId: string) =>
  tx.selectFrom("documents").select(COLUMNS).where("organization_id", "=", organizationId);

export const findDocumentOf = (
  tx: Tx,
  organizationId: string,
  subject: DocumentSubject,
): Promise<DocumentRow | undefined> =>
  ("invoiceId" in subject
    ? all(tx, organizationId).where("invoice_id", "=", subject.invoiceId)
    : all(tx, organizationId).where("credit_note_id", "=", subject.creditNoteId)
  ).executeTakeFirst();

export const findDocuments = (tx: Tx, organizationId: string, ids: readonly string[]): Promise<DocumentRow[]> =>
  all(tx, organizationId).where("id", "=", anyOf(ids)).execute();

/** Documents with a finished file, by the id of their invoice or credit note. */
export async function findMadeDocuments(
  tx: Tx,
  organizationId: string,
  subjectIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const among = anyOf(subjectIds);
  const rows = await tx
    .selectFrom("documents")
    .select(["id", "invoice_id", "credit_note_id"])
    .where("organization_id", "=", organizationId)
    .where((row) => row.or([row("invoice_id", "=", among), row("credit_note_id", "=", among)]))
    .where("made_at", "is not", null)
    .execute();
  return new Map(rows.map(({ id, invoice_id, credit_note_id }) => [invoice_id ?? credit_note_id ?? "", id]));
}

/** An existing row stays. */
export const insertDocuments = batchedWrite<Omit<Insertable<DB["documents"]>, "organization_id">>(
  async (tx, organizationId, rows) => {
    await tx
      .insertInto("documents")
      .values(rows.map((row) => ({ ...row, organization_id: organizationId })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  },
);

/** False if another worker saved the file first. */
export async function keepFile(
  tx: Tx,
  organizationId: string,
  id: string,
  { content, at }: { content: Buffer; at: Temporal.Instant },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("documents")
    .set({ content, digest: createHash("sha256").update(content).digest(), made_at: at })
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .where("digest", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const findFile = async (tx: Tx, organizationId: string, id: string): Promise<Buffer | undefined> => {
  if (!isUuid(id)) return undefined;
  const row = await tx
    .selectFrom("documents")
    .select("content")
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.content ?? undefined;
};

export const findLinkKey = async (tx: Tx, organizationId: string): Promise<Buffer | undefined> => {
  const row = await tx
    .selectFrom("document_link_keys")
    .select("secret")
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
  return row?.secret;
};

/** An existing row stays. */
export async function insertLinkKey(
  tx: Tx,
  organizationId: string,
  { secret, at }: { secret: Buffer; at: Temporal.Instant },
): Promise<void> {
  await tx
    .insertInto("document_link_keys")
    .values({ organization_id: organizationId, secret, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
