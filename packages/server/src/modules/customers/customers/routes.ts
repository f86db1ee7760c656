/** /customers, by external_id. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { warn } from "../../../http/warnings.ts";
import { type DeleteDeps, deleteCustomer } from "./delete-customer.ts";
import { describeCustomer, describeCustomers } from "./describe-customers.ts";
import { customerErrors } from "./errors.ts";
import { customerList, deleteCustomerSchema, listCustomers, showCustomer, upsertCustomerSchema } from "./schema.ts";
import { findCustomer, pageOfCustomers } from "./store.ts";
import { warningsOf } from "./to-api.ts";
import { type UpsertDeps, upsertCustomer } from "./upsert-customer.ts";

export const customerRoutes =
  (deps: UpsertDeps & DeleteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "customer", activity: "difference" } as const;

    app.post("/customers", { schema: upsertCustomerSchema, config }, async (request, reply) => {
      const requested = { requested: request.body.customer, precondition: request.precondition.bind(request) };
      const answer = await request.write(async (tx, organizationId) => ({
        customer: await upsertCustomer(tx, organizationId, requested, deps),
      }));
      for (const warning of warningsOf(answer.customer)) warn(reply, warning);
      return answer;
    });

    app.get("/customers", { schema: listCustomers, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const { rows, meta } = await pageOfCustomers(tx, organizationId, customerList.read(request.query));
        return { customers: await describeCustomers(tx, organizationId, rows), meta };
      }),
    );

    app.get("/customers/:external_id", { schema: showCustomer, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const row = await findCustomer(tx, organizationId, request.params.external_id);
        if (!row) throw customerErrors.problem("customer_not_found");
        return { customer: await describeCustomer(tx, organizationId, row) };
      }),
    );

    app.delete("/customers/:external_id", { schema: deleteCustomerSchema, config }, async (request) => {
      await deps.beforeTransaction(request.caller.organizationId);
      return request.write(
        async (tx, organizationId) => ({
          customer: await deleteCustomer(tx, organizationId, request.params.external_id, deps),
        }),
        async (answer) => {
          await deps.afterDelete(request.caller.organizationId, answer.customer.svc_id);
          return answer;
        },
      );
    });
  };
