/** The messages about plans. */
import { type MessageTypes, messageOf as of } from "../../../jobs/message-types.ts";
import { planSchema } from "./to-api.ts";

const plan = of("plan", planSchema);

export const planMessages: MessageTypes = {
  "plan.created": plan("A plan is created."),
  "plan.updated": plan(
    "A plan is changed by a request. Plans that follow a changed or deleted metric have no message.",
  ),
  "plan.deleted": plan("A plan is deleted. It is shown as it was before."),
};
