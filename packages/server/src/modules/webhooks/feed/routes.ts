/** /messages: what was published, in order. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { prefixOf, renameMembers } from "../../../http/field-prefix.ts";
import { toApiInstant } from "../../../http/fields.ts";
import { feedErrors } from "./errors.ts";
import { listMessages, readAfter, readLimit, writeCursor } from "./schema.ts";
import { findHead, findMessagesAfter } from "./store.ts";

/** About a megabyte as an answer, because the payload is JSON within JSON. */
const BYTES_MAX = 600_000;

export const messageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get("/messages", { schema: listMessages, config: { permission: "message" } }, (request) => {
    const [after, limit] = [readAfter(request.query.after), readLimit(request.query.limit)];
    const prefix = prefixOf(request);
    return request.read(async (tx, organizationId) => {
      const head = await findHead(tx, organizationId);
      if (after === "latest") return { messages: [], meta: metaOf(head.position, head.position) };
      const from = after ?? head.forgotten;
      if (from < head.forgotten) throw feedErrors.problem("cursor_expired");
      const rows = await findMessagesAfter(tx, organizationId, { after: from, limit, bytesMax: BYTES_MAX });
      const messages = rows.map(({ id, webhook_type, object_type, created_at, payload }) => ({
        ...{ svc_id: id, webhook_type, object_type },
        ...{ created_at: toApiInstant(created_at), payload: renameMembers(payload, prefix) },
      }));
      return { messages, meta: metaOf(BigInt(rows.at(-1)?.position ?? from), head.position) };
    });
  });
};

const metaOf = (position: bigint, last: bigint) => ({
  next_cursor: writeCursor(position),
  has_more: position < last,
});
