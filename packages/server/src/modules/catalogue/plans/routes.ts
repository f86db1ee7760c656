/** CRUD of /plans, by code. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { codedList } from "../../../http/coded-resource.ts";
import { changePlan, createPlan, deletePlan, type PlanDeps } from "./change-plan.ts";
import { describePlan, describePlans } from "./describe-plans.ts";
import { existing } from "./errors.ts";
import { planSchemas } from "./schema.ts";
import { findPlan, pageOfPlans } from "./store.ts";

export const planRoutes =
  (deps: PlanDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "plan", activity: "difference" } as const;

    app.post("/plans", { schema: planSchemas.create, config }, (request) =>
      request.write(async (tx, organizationId) => ({
        plan: await createPlan(tx, organizationId, request.body.plan, deps.clock),
      })),
    );

    app.get("/plans", { schema: planSchemas.list, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const { rows, meta } = await pageOfPlans(tx, organizationId, codedList.read(request.query));
        return { plans: await describePlans(tx, organizationId, rows), meta };
      }),
    );

    app.get("/plans/:code", { schema: planSchemas.show, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const row = existing(await findPlan(tx, organizationId, request.params.code));
        return { plan: await describePlan(tx, organizationId, row) };
      }),
    );

    app.put("/plans/:code", { schema: planSchemas.change, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const requested = {
          code: request.params.code,
          change: request.body.plan,
          precondition: request.precondition.bind(request),
        };
        return { plan: await changePlan(tx, organizationId, requested, deps) };
      }),
    );

    app.delete("/plans/:code", { schema: planSchemas.delete, config }, (request) =>
      request.write(
        async (tx, organizationId) => ({ plan: await deletePlan(tx, organizationId, request.params.code, deps) }),
        async (answer) => {
          await deps.afterDeleted(request.caller.organizationId, answer.plan.svc_id);
          return answer;
        },
      ),
    );
  };
