/** /customers, by external_id. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { readPage, toApiMeta } from "../../../http/pagination.ts";
import { type DeleteDeps, deleteCustomer } from "./delete-customer.ts";
import { describeCustomer, describeCustomers } from "./describe-customers.ts";
import { customerErrors } from "./errors.ts";
import { deleteCustomerSchema, listCustomers, showCustomer, upsertCustomerSchema } from "./schema.ts";
import { findCustomer, pageOfCustomers } from "./store.ts";
import { type UpsertDeps, upsertCustomer } from "./upsert-customer.ts";

export const customerRoutes =
  (deps: UpsertDeps & DeleteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "customer" };

    app.post("/customers", { schema: upsertCustomerSchema, config }, (request) =>
      request.write(async (tx, organizationId) => ({
        customer: await upsertCustomer(tx, organizationId, request.body.customer, deps),
      })),
    );

    app.get("/customers", { schema: listCustomers, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const page = readPage(request.query);
        const { rows, total } = await pageOfCustomers(tx, organizationId, page);
        return { customers: await describeCustomers(tx, organizationId, rows), meta: toApiMeta(page, total) };
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
