/** CRUD of /add_ons, by code. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { codedList } from "../../../http/coded-resource.ts";
import type { Clock } from "../../../platform/clock.ts";
import { describeAddOn, describeAddOns } from "./describe-add-ons.ts";
import { addOnErrors } from "./errors.ts";
import { changeAddOn, createAddOn, deleteAddOn } from "./save-add-on.ts";
import { addOnSchemas } from "./schema.ts";
import { findAddOn, pageOfAddOns } from "./store.ts";

export const addOnRoutes =
  (clock: Clock): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "add_on", activity: "difference" } as const;

    app.post("/add_ons", { schema: addOnSchemas.create, config }, (request) =>
      request.write(async (tx, organizationId) => ({
        add_on: await createAddOn(tx, organizationId, request.body.add_on, clock.now()),
      })),
    );

    app.get("/add_ons", { schema: addOnSchemas.list, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const { rows, meta } = await pageOfAddOns(tx, organizationId, codedList.read(request.query));
        return { add_ons: await describeAddOns(tx, organizationId, rows), meta };
      }),
    );

    app.get("/add_ons/:code", { schema: addOnSchemas.show, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const row = await findAddOn(tx, organizationId, request.params.code);
        if (!row) throw addOnErrors.problem("add_on_not_found");
        return { add_on: await describeAddOn(tx, organizationId, row) };
      }),
    );

    app.put("/add_ons/:code", { schema: addOnSchemas.change, config }, (request) =>
      request.write(async (tx, organizationId) => ({
        add_on: await changeAddOn(tx, organizationId, request.params.code, {
          change: request.body.add_on,
          precondition: request.precondition.bind(request),
          now: clock.now(),
        }),
      })),
    );

    app.delete("/add_ons/:code", { schema: addOnSchemas.delete, config }, (request) =>
      request.write(async (tx, organizationId) => ({
        add_on: await deleteAddOn(tx, organizationId, request.params.code, clock.now()),
      })),
    );
  };
