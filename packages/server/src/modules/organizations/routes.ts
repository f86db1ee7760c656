/** GET and PUT /organizations: the organization of the key. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { invalid } from "../../http/problem.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { listDefaultTaxes } from "../taxes/index.ts";
import { changeOrganization, fromApiOrganization, showOrganization, toApiOrganization } from "./schema.ts";
import { findOrganization, updateOrganization } from "./store.ts";

type Deps = {
  clock: Clock;
  /** Customers without a time zone of their own move with the organization. */
  onMoved: (tx: Tx) => Promise<void>;
};

export const organizationRoutes =
  ({ clock, onMoved }: Deps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "organization" };

    app.get("/organizations", { schema: showOrganization, config }, (request) =>
      request.read(async (tx, organizationId) => ({
        organization: toApiOrganization(
          await findOrganization(tx, organizationId),
          await listDefaultTaxes(tx, organizationId),
        ),
      })),
    );

    app.put("/organizations", { schema: changeOrganization, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const changes = fromApiOrganization(request.body.organization);
        // In capitals a text can become longer: "ß" is "SS".
        if ([...(changes.document_number_prefix ?? "")].length > 10)
          throw invalid({ document_number_prefix: ["value_is_too_long"] });
        const { timezone } = await findOrganization(tx, organizationId);
        const row = await updateOrganization(tx, organizationId, { ...changes, updated_at: clock.now() });
        if (row.timezone !== timezone) await onMoved(tx);
        return { organization: toApiOrganization(row, await listDefaultTaxes(tx, organizationId)) };
      }),
    );
  };
