/** Which of the five steps are done: what exists says it, so that it does not matter how it was made. */
import type { BillableMetric, Plan, Subscription } from "@tallystick/client";
import { queryOptions } from "@tanstack/react-query";
import { apiOf } from "../../api/client.ts";

export type StepName = "metric" | "plan" | "customer" | "usage" | "invoice";
export type Progress = {
  done: Readonly<Record<StepName, boolean>>;
  metric: BillableMetric | undefined;
  plan: Plan | undefined;
  subscription: Subscription | undefined;
  invoiceId: string | undefined;
};

export const progressQuery = (organization: string) =>
  queryOptions({
    queryKey: ["start", organization],
    staleTime: 0,
    queryFn: async (): Promise<Progress> => {
      const api = apiOf(organization);
      const one = { per_page: 1 };
      const [metrics, plans, subscriptions, events, invoices] = await Promise.all([
        api.billableMetrics.list(one),
        api.plans.list(one),
        api.subscriptions.list({ ...one, sort: "-created_at", status: ["active", "pending"] }),
        api.events.list(one),
        api.invoices.list({ ...one, status: "finalized" }),
      ]);
      const subscription = subscriptions.items[0];
      return {
        done: {
          metric: metrics.items.length > 0,
          plan: plans.items.length > 0,
          customer: subscription !== undefined,
          usage: events.items.length > 0,
          invoice: invoices.items.length > 0,
        },
        metric: metrics.items[0],
        plan: plans.items[0],
        subscription,
        invoiceId: invoices.items[0]?.svc_id,
      };
    },
  });
