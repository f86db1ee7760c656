/** The messages about billable metrics. */
import { type MessageTypes, messageOf as of } from "../../../jobs/message-types.ts";
import { metricSchema } from "./schema.ts";

const metric = of("billable_metric", metricSchema);

export const billableMetricMessages: MessageTypes = {
  "billable_metric.created": metric("A billable metric is created."),
  "billable_metric.updated": metric("A billable metric is changed."),
  "billable_metric.deleted": metric("A billable metric is deleted. It is shown as it was before."),
};
