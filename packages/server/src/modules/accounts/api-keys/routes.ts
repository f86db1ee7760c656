/** /api_keys: list, create, rotate and revoke. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { Clock } from "../../../platform/clock.ts";
import { apiKeyErrors } from "./errors.ts";
import { createKeyFor, rotateKeyFor } from "./hand-out.ts";
import { revokeKey } from "./make-key.ts";
import {
  apiKeyList,
  createApiKeySchema,
  fromApiKey,
  listApiKeysSchema,
  readOverlap,
  revokeApiKeySchema,
  rotateApiKeySchema,
  showApiKeySchema,
  toApiKey,
  toApiWithToken,
} from "./schema.ts";
import { findKey, pageOfKeys } from "./store.ts";

export const apiKeyRoutes =
  (clock: Clock): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "api_key" };
    const showing = { ...config, showsSecret: true, needsProof: true };

    app.get("/api_keys", { schema: listApiKeysSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const { rows, meta } = await pageOfKeys(tx, organizationId, apiKeyList.read(request.query));
        return { api_keys: rows.map(toApiKey), meta };
      }),
    );

    app.get("/api_keys/:key_id", { schema: showApiKeySchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const row = await findKey(tx, organizationId, request.params.key_id);
        if (!row) throw apiKeyErrors.problem("api_key_not_found");
        return { api_key: toApiKey(row) };
      }),
    );

    app.post("/api_keys", { schema: createApiKeySchema, config: showing }, (request) =>
      request.write(async (tx) => {
        const now = clock.now();
        const requested = fromApiKey(request.body.api_key, now);
        return { api_key: toApiWithToken(await createKeyFor(tx, request.caller, requested, now)) };
      }),
    );

    app.post("/api_keys/:key_id/rotate", { schema: rotateApiKeySchema, config: showing }, (request) =>
      request.write(async (tx) => {
        const now = clock.now();
        const oldKeyWorksUntil = now.add(readOverlap(request.body));
        const rotation = { keyId: request.params.key_id, now, oldKeyWorksUntil };
        return { api_key: toApiWithToken(await rotateKeyFor(tx, request.caller, rotation)) };
      }),
    );

    app.delete("/api_keys/:key_id", { schema: revokeApiKeySchema, config }, (request) =>
      request.write(async (tx, organizationId) => ({
        api_key: toApiKey(await revokeKey(tx, organizationId, request.params.key_id, clock.now())),
      })),
    );
  };
