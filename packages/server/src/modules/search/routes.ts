/** GET /search */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyContextConfig } from "fastify";
import { ANY_CALLER } from "../../http/auth.ts";
import { isAllowed } from "../../http/permission-sets.ts";
import { findRecords, KINDS } from "./find-records.ts";
import { searchSchema } from "./schema.ts";

export const searchRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const [first, ...others] = Object.values(KINDS).map(({ resource }) => resource);
  if (first === undefined) throw new Error("there are kinds to search");
  const config = { permission: ANY_CALLER, readsAnyOf: [first, ...others] } satisfies FastifyContextConfig;

  app.get("/search", { schema: searchSchema, config }, (request) =>
    request.read(async (tx, organizationId) => {
      const mayRead = (resource: string) => isAllowed(request.caller.permissions, resource, "read");
      return { results: await findRecords(tx, organizationId, { term: request.query.term, mayRead }) };
    }),
  );
};
