/** POST /subscriptions/preview */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { demandPermission } from "../../../http/auth.ts";
import { readPreview } from "../../subscriptions/index.ts";
import { describeChange, loadChange, type PreviewDeps } from "./preview-change.ts";
import { previewSubscriptionChange } from "./schema.ts";

export const changePreviewRoutes =
  (deps: PreviewDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const alsoNeeds = { resource: "invoice", action: "read" } as const;
    const config = { permission: "subscription", isReading: true, alsoNeeds, activity: "none" } as const;

    app.post("/subscriptions/preview", { schema: previewSubscriptionChange, config }, async (request) => {
      demandPermission(request.caller, alsoNeeds.resource, alsoNeeds.action);
      const change = readPreview(request.body);
      const loaded = await request.preview((tx, organizationId) => loadChange(tx, deps, organizationId, change));
      const preview = await describeChange(deps, request.caller.organizationId, loaded);
      // Writes only the answer itself, for a repeat with the same Idempotency-Key.
      return request.write(async () => ({ preview }));
    });
  };
