import { defineErrors } from "../../../http/problem.ts";

export const activityErrors = defineErrors({
  activity_not_found: { status: 404, meaning: "No activity has this `svc_id`. See the list of activities." },
});
