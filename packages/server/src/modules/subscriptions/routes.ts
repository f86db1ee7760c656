/** /subscriptions, by external_id. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import { demandPermission } from "../../http/auth.ts";
import { alone } from "../../platform/postgres/batch.ts";
import { type ChangeDeps, changeSubscription, endSubscription } from "./change-subscription.ts";
import { describeSubscription, describeSubscriptions } from "./describe-subscriptions.ts";
import { subscriptionErrors } from "./errors.ts";
import { toAtEnd, toChangeRequest, toSubscribeRequest } from "./read-request.ts";
import {
  createSubscription,
  deleteSubscription,
  listSubscriptions,
  showSubscription,
  subscriptionList,
  updateSubscriptionSchema,
} from "./schema.ts";
import { findByExternalId, pageOfSubscriptions } from "./store.ts";
import { subscribe } from "./subscribe.ts";
import type { ApiSubscriptionWithPlan } from "./to-api.ts";

type RouteDeps = ChangeDeps & {
  /** Runs before the transaction: events accepted so far are billed by the current state of the subscription. */
  beforeChange: (organizationId: string) => Promise<void>;
  /** Runs after the commit: on a test clock, no worker would soon run what is due at once. */
  afterChange: (organizationId: string, customerId: string) => Promise<void>;
};

export const subscriptionRoutes =
  (deps: RouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "subscription" };
    const priced = { ...config, alsoNeeds: OWN_PRICES };
    app.addHook("preHandler", async ({ method, caller, body }) => {
      if (hasOverrides(body)) demandPermission(caller, OWN_PRICES.resource, "write");
      if (method !== "GET") await deps.beforeChange(caller.organizationId);
    });
    const finish = (request: FastifyRequest) => async (answer: { subscription: ApiSubscriptionWithPlan }) => {
      await deps.afterChange(request.caller.organizationId, answer.subscription.svc_customer_id);
      return answer;
    };

    app.post("/subscriptions", { schema: createSubscription, config: priced }, (request) =>
      request.write(async (tx, organizationId) => {
        const id = await subscribe(tx, organizationId, toSubscribeRequest(request.body.subscription), deps);
        return { subscription: await describeSubscription(alone(tx), organizationId, id) };
      }, finish(request)),
    );

    app.get("/subscriptions", { schema: listSubscriptions, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const { rows, meta } = await pageOfSubscriptions(tx, organizationId, subscriptionList.read(request.query));
        return {
          subscriptions: await describeSubscriptions(alone(tx), organizationId, rows),
          meta,
        };
      }),
    );

    app.get("/subscriptions/:external_id", { schema: showSubscription, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const addressed = { externalId: request.params.external_id, status: request.query.status ?? "active" };
        const row = await findByExternalId(tx, organizationId, addressed);
        if (!row) throw subscriptionErrors.problem("subscription_not_found");
        return { subscription: await describeSubscription(alone(tx), organizationId, row.id) };
      }),
    );

    app.put("/subscriptions/:external_id", { schema: updateSubscriptionSchema, config: priced }, (request) =>
      request.write(async (tx, organizationId) => {
        const status = request.query.status ?? request.body.status ?? "active";
        const addressed = { externalId: request.params.external_id, status };
        const input = { addressed, request: toChangeRequest(request.body.subscription) };
        const id = await changeSubscription(tx, organizationId, input, deps);
        return { subscription: await describeSubscription(alone(tx), organizationId, id) };
      }, finish(request)),
    );

    app.delete("/subscriptions/:external_id", { schema: deleteSubscription, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const addressed = { externalId: request.params.external_id, status: request.query.status ?? "active" };
        const input = { addressed, atEnd: toAtEnd(request.query) };
        const id = await endSubscription(tx, organizationId, input, deps);
        return { subscription: await describeSubscription(alone(tx), organizationId, id) };
      }, finish(request)),
    );
  };

/** Prices of its own for a subscription need a permission of their own. */
const OWN_PRICES = { resource: "plan_override", when: "`plan_overrides`" };
const hasOverrides = (body: unknown): boolean =>
  Boolean((body as { subscription?: { plan_overrides?: unknown } } | undefined)?.subscription?.plan_overrides);
