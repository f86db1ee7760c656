/** Adds links to finished files to API records, in a constant number of queries. */
import type { FastifyRequest } from "fastify";
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { createLinks } from "./links.ts";
import { findMadeDocuments } from "./store.ts";

type Filed = { svc_id: string; number: string; file_url: string | null };
type Reader = { clock: Clock; request: Pick<FastifyRequest, "publicUrl"> };

export async function withFileUrls<Shown extends Filed>(
  tx: Tx,
  organizationId: string,
  records: readonly Shown[],
  { clock, request }: Reader,
): Promise<Shown[]> {
  const ids = records.map(({ svc_id }) => svc_id);
  const documents = await findMadeDocuments(tx, organizationId, ids);
  if (documents.size === 0) return [...records];
  const toLink = await createLinks(tx, organizationId, { baseUrl: request.publicUrl, now: clock.now() });
  return records.map((record) => {
    const documentId = documents.get(record.svc_id);
    return documentId ? { ...record, file_url: toLink(documentId, record.number) } : record;
  });
}
