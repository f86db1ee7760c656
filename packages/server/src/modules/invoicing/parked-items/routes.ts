/** /parked_items: items that cannot be billed, and their resolution by an operator. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { parkedItemErrors } from "./errors.ts";
import { demandRetryable, type ResolveDeps, retryItem, skipItem } from "./resolve-item.ts";
import {
  listParkedItemsSchema,
  parkedItemList,
  readReason,
  retryParkedItemSchema,
  showParkedItemSchema,
  skipParkedItemSchema,
  toApiParkedItem,
} from "./schema.ts";
import { findParkedItem, pageOfParkedItems } from "./store.ts";

export const parkedItemRoutes =
  (deps: ResolveDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "billing_run" };

    app.get("/parked_items", { schema: listParkedItemsSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const { rows, meta } = await pageOfParkedItems(tx, organizationId, parkedItemList.read(request.query));
        return { parked_items: rows.map(toApiParkedItem), meta };
      }),
    );

    app.get("/parked_items/:svc_id", { schema: showParkedItemSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const item = await findParkedItem(tx, organizationId, request.params.svc_id);
        if (!item) throw parkedItemErrors.problem("parked_item_not_found");
        return { parked_item: toApiParkedItem(item) };
      }),
    );

    /** Usage is read before the transaction that writes, so the retry runs after the request's transaction. */
    app.post("/parked_items/:svc_id/retry", { schema: retryParkedItemSchema, config }, (request) => {
      const id = request.params.svc_id;
      const reason = readReason(request.body);
      const { organizationId } = request.caller;
      return request.write(
        async (tx) => ({ parked_item: toApiParkedItem(await demandRetryable(tx, organizationId, id)) }),
        async () => ({ parked_item: toApiParkedItem(await retryItem(deps, { organizationId, id, reason })) }),
      );
    });

    app.post("/parked_items/:svc_id/skip", { schema: skipParkedItemSchema, config }, (request) => {
      const requested = { id: request.params.svc_id, reason: readReason(request.body) };
      return request.write(async (tx, organizationId) => ({
        parked_item: toApiParkedItem(await skipItem(tx, deps, { organizationId, ...requested })),
      }));
    });
  };
