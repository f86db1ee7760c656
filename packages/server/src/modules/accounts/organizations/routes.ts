/** GET and PUT /organizations: the organization of the key. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { demandPermission } from "../../../http/auth.ts";
import { invalid, invalidMembers, type Problem } from "../../../http/problem.ts";
import { warn } from "../../../http/warnings.ts";
import type { Clock } from "../../../platform/clock.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { listDefaultTaxes } from "../../catalogue/index.ts";
import { localeWarnings } from "./document-locales.ts";
import {
  changeOrganization,
  fromApiOrganization,
  type OrganizationRow,
  showOrganization,
  toApiOrganization,
} from "./schema.ts";
import { findOrganization, lockOrganization, updateOrganization } from "./store.ts";

type Deps = {
  clock: Clock;
  /** The time zone changed. Customers without a time zone of their own follow it. */
  onMoved: (tx: Tx) => Promise<void>;
  /** The grace period or the net payment term changed. */
  onTermsChanged: (tx: Tx) => Promise<void>;
  /** The request has a logo URL, new or unchanged. */
  onLogoGiven: (tx: Tx, organizationId: string) => Promise<void>;
  /** The webhook endpoints of the organization. `webhook_url` sets the first one. */
  endpoints: {
    /** The refusal of a URL that nothing would be sent to. Called before the transaction, because it resolves a name. */
    refusalOf: (url: string | null | undefined) => Promise<Problem | undefined>;
    listUrls: (tx: Tx, organizationId: string) => Promise<string[]>;
    setFirst: (tx: Tx, organizationId: string, url: string | null) => Promise<void>;
  };
};

export const organizationRoutes =
  ({ clock, onMoved, onTermsChanged, onLogoGiven, endpoints }: Deps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "organization", activity: "difference" } as const;
    const alsoNeeds = { resource: "webhook_endpoint", when: "a changed `webhook_url`" };

    app.get("/organizations", { schema: showOrganization, config }, (request) =>
      request.read(async (tx, organizationId) => ({
        organization: await describe(tx, await findOrganization(alone(tx), organizationId), endpoints),
      })),
    );

    app.put(
      "/organizations",
      { schema: changeOrganization, config: { ...config, alsoNeeds } },
      async (request, reply) => {
        const { webhook_url: given, field_prefix } = request.body.organization;
        const webhook_url = given === "" ? null : given;
        if (field_prefix !== undefined && app.isPrefixTaken(field_prefix)) throw takenPrefix(field_prefix);
        const refused = await endpoints.refusalOf(webhook_url);
        const answer = await request.write(async (tx, organizationId) => {
          const changes = fromApiOrganization(request.body.organization);
          // Upper case can make a text longer: "ß" becomes "SS".
          if ([...(changes.document_number_prefix ?? "")].length > 10)
            throw invalid({ document_number_prefix: ["value_is_too_long"] });
          const before = await lockOrganization(tx, organizationId);
          await request.precondition(async () => ({ organization: await describe(tx, before, endpoints) }));
          const isLogoAnother = changes.logo_url !== undefined && changes.logo_url !== before.logo_url;
          const row = await updateOrganization(tx, organizationId, {
            ...changes,
            ...(isLogoAnother ? { logo_digest: null, logo_error: null } : {}),
            updated_at: clock.now(),
          });
          if (changes.logo_url) await onLogoGiven(tx, organizationId);
          const [firstUrl = null] = await endpoints.listUrls(tx, organizationId);
          // A client that sends back what it read changes nothing, and needs nothing for it.
          if (webhook_url !== undefined && webhook_url !== firstUrl) {
            demandPermission(request.caller, alsoNeeds.resource, "write");
            if (refused) throw refused;
            await endpoints.setFirst(tx, organizationId, webhook_url);
          }
          if (row.timezone !== before.timezone) await onMoved(tx);
          if (
            row.invoice_grace_period !== before.invoice_grace_period ||
            row.net_payment_term !== before.net_payment_term
          )
            await onTermsChanged(tx);
          return { organization: await describe(tx, row, endpoints) };
        });
        for (const warning of localeWarnings(answer.organization.billing_configuration.document_locale))
          warn(reply, warning);
        return answer;
      },
    );
  };

const takenPrefix = (prefix: string): Problem =>
  invalidMembers([
    {
      path: "field_prefix",
      code: "value_is_invalid",
      message: `Other names of this API begin with "${prefix}_" already. Choose another prefix.`,
    },
  ]);

const describe = async (tx: Tx, row: OrganizationRow, endpoints: Deps["endpoints"]) =>
  toApiOrganization(row, {
    taxes: await listDefaultTaxes(tx, row.id),
    webhookUrls: await endpoints.listUrls(tx, row.id),
  });
