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
  /** The grace period or the days to pay are others. */
  onTermsChanged: (tx: Tx) => Promise<void>;
};

export const organizationRoutes =
  ({ clock, onMoved, onTermsChanged }: Deps): FastifyPluginAsyncTypebox =>
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
        const before = await findOrganization(tx, organizationId);
        const row = await updateOrganization(tx, organizationId, { ...changes, updated_at: clock.now() });
        if (row.timezone !== before.timezone) await onMoved(tx);
        if (
          row.invoice_grace_period !== before.invoice_grace_period ||
          row.net_payment_term !== before.net_payment_term
        )
          await onTermsChanged(tx);
        return { organization: toApiOrganization(row, await listDefaultTaxes(tx, organizationId)) };
      }),
    );
  };
