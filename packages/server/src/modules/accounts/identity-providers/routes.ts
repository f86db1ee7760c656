/** CRUD of /identity_providers. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { Clock } from "../../../platform/clock.ts";
import type { OutboundHttp } from "../../../platform/outbound-http/outbound-http.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { Vault } from "../data-keys/index.ts";
import { approvedDomains } from "../mail-domains/index.ts";
import { redirectUriOf } from "./provider-client.ts";
import { changeProvider, createProvider, found, refusalOfIssuer } from "./save-provider.ts";
import {
  type ApiProvider,
  changeProviderSchema,
  createProviderSchema,
  deleteProviderSchema,
  listProvidersSchema,
  showProviderSchema,
  toApiProvider,
} from "./schema.ts";
import { deleteProvider, findProvider, listProviders, type ProviderRow } from "./store.ts";

type Deps = { clock: Clock; vault: Vault; outbound: OutboundHttp; publicUrl: string };

export const identityProviderRoutes =
  (deps: Deps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "identity_provider" };
    const proven = { ...config, needsProof: true };
    const show = async (tx: Tx, organizationId: string, row: ProviderRow): Promise<ApiProvider> =>
      toApiProvider(row, {
        approved: await approvedDomains(tx, organizationId),
        redirectUri: redirectUriOf(deps.publicUrl),
      });

    app.post("/identity_providers", { schema: createProviderSchema, config: proven }, async (request) => {
      const requested = request.body.identity_provider;
      const refused = await refusalOfIssuer(deps.outbound, requested.issuer);
      return request.write(async (tx, organizationId) => {
        if (refused) throw refused;
        const row = await createProvider(tx, request.caller, requested, deps);
        return { identity_provider: await show(tx, organizationId, row) };
      });
    });

    app.get("/identity_providers", { schema: listProvidersSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const identity_providers: ApiProvider[] = [];
        for (const row of await listProviders(tx, organizationId))
          identity_providers.push(await show(tx, organizationId, row));
        return { identity_providers };
      }),
    );

    app.get("/identity_providers/:svc_id", { schema: showProviderSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const row = found(await findProvider(tx, organizationId, request.params.svc_id));
        return { identity_provider: await show(tx, organizationId, row) };
      }),
    );

    app.put("/identity_providers/:svc_id", { schema: changeProviderSchema, config: proven }, (request) =>
      request.write(async (tx, organizationId) => {
        const change = { id: request.params.svc_id, change: request.body.identity_provider };
        const row = await changeProvider(tx, request.caller, change, deps);
        return { identity_provider: await show(tx, organizationId, row) };
      }),
    );

    app.delete("/identity_providers/:svc_id", { schema: deleteProviderSchema, config: proven }, (request) =>
      request.write(async (tx, organizationId) => {
        const row = found(await findProvider(tx, organizationId, request.params.svc_id));
        const shown = await show(tx, organizationId, row);
        await deleteProvider(tx, organizationId, row.id);
        return { identity_provider: shown };
      }),
    );
  };
