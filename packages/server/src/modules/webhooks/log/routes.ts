/** /webhooks: the log of deliveries to endpoints, and sending them again. */
import assert from "node:assert/strict";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { prefixOf, renameMembers } from "../../../http/field-prefix.ts";
import { toApiInstant } from "../../../http/fields.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { askForReplay, found, retryDelivery } from "./replay.ts";
import {
  type DeliveryRow,
  fromApiFilter,
  fromListFilter,
  listWebhooksSchema,
  replayWebhooksSchema,
  retryWebhookSchema,
  showWebhookSchema,
  toApiWebhook,
  webhookList,
} from "./schema.ts";
import { findDelivery, findPayload, pageOfDeliveries, withLogs } from "./store.ts";

export const webhookLogRoutes =
  ({ clock, messageTypes }: { clock: Clock; messageTypes: readonly string[] }): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "webhook_endpoint" };

    app.get("/webhooks", { schema: listWebhooksSchema(messageTypes), config }, (request) =>
      request.read(async (tx, organizationId) => {
        const list = webhookList(messageTypes).read(request.query);
        const filter = fromListFilter(list, messageTypes);
        const { rows, meta } = await pageOfDeliveries(tx, organizationId, filter, list);
        const webhooks = (await withLogs(tx, organizationId, rows)).map(toApiWebhook);
        return { webhooks, meta };
      }),
    );

    app.get("/webhooks/:svc_id", { schema: showWebhookSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const row = found(await findDelivery(tx, organizationId, request.params.svc_id));
        const stored = await findPayload(tx, organizationId, row.message_id);
        const payload = renameMembers(stored, prefixOf(request));
        return { webhook: { ...(await describe(tx, organizationId, row)), payload } };
      }),
    );

    app.post("/webhooks/:svc_id/retry", { schema: retryWebhookSchema, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const row = await retryDelivery(tx, organizationId, request.params.svc_id, clock);
        return { webhook: await describe(tx, organizationId, row) };
      }),
    );

    app.post("/webhooks/replay", { schema: replayWebhooksSchema(messageTypes), config }, (request) =>
      request.write(async (tx, organizationId) => {
        const filter = fromApiFilter(request.body.replay, messageTypes);
        const { count, skippedCount, requestedAt } = await askForReplay(tx, organizationId, filter, clock);
        return { replay: { count, skipped_count: skippedCount, replayed_at: toApiInstant(requestedAt) } };
      }),
    );
  };

async function describe(tx: Tx, organizationId: string, row: DeliveryRow) {
  const [logged] = await withLogs(tx, organizationId, [row]);
  assert(logged, "a delivery has a message");
  return toApiWebhook(logged);
}
