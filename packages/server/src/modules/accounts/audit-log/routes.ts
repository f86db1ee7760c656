/** GET /activities: the trail of the organization. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { activityErrors } from "./errors.ts";
import { activityList, listActivitiesSchema, showActivitySchema, toApiActivity } from "./schema.ts";
import { findActivity, pageOfActivities } from "./store.ts";

export const activityRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const config = { permission: "activity" };

  app.get("/activities", { schema: listActivitiesSchema, config }, (request) =>
    request.read(async (tx, organizationId) => {
      const { rows, meta } = await pageOfActivities(tx, organizationId, activityList.read(request.query));
      return { activities: rows.map(toApiActivity), meta };
    }),
  );

  app.get("/activities/:svc_id", { schema: showActivitySchema, config }, (request) =>
    request.read(async (tx, organizationId) => {
      const row = await findActivity(tx, organizationId, request.params.svc_id);
      if (!row) throw activityErrors.problem("activity_not_found");
      return { activity: toApiActivity(row) };
    }),
  );
};
