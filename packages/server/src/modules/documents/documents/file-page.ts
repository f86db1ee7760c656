/** GET /files/…: serves a file to anyone with its link. It is outside of the API, because a browser opens it without a key. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "@fastify/type-provider-typebox";
import { validate as isUuid } from "uuid";
import { PUBLIC } from "../../../http/auth.ts";
import type { Clock } from "../../../platform/clock.ts";
import { type Database, inOrganization } from "../../../platform/postgres/database.ts";
import { documentErrors } from "./errors.ts";
import { isLinkValid } from "./links.ts";
import { findFile } from "./store.ts";

const params = Type.Object({ organization_id: Type.String(), document_id: Type.String(), name: Type.String() });
const querystring = Type.Object({
  expires: Type.Optional(Type.String()),
  signature: Type.Optional(Type.String()),
});

export const filePage =
  ({ db, clock }: { db: Database; clock: Clock }): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      "/files/:organization_id/:document_id/:name",
      { schema: { hide: true, params, querystring }, config: { permission: PUBLIC } },
      async (request, reply) => {
        const { organization_id: organizationId, document_id: documentId } = request.params;
        const { expires = "", signature = "" } = request.query;
        const file = isUuid(organizationId)
          ? await inOrganization(db, organizationId, async (tx) => {
              const isValid = await isLinkValid(tx, organizationId, { documentId, expires, signature }, clock.now());
              return isValid ? findFile(tx, organizationId, documentId) : undefined;
            })
          : undefined;
        if (!file) throw documentErrors.problem("file_not_found");
        return reply
          .header("Cache-Control", "private, no-store")
          .header("Content-Disposition", "inline")
          .type("application/pdf")
          .send(file);
      },
    );
  };
