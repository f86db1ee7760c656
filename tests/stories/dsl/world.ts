/** The state of a story so far. */
import type { Api } from "./api.ts";

export type Metric = { id: string; kind: "count" | "sum" | "max" | "latest" | "unique" | "weighted"; field: string };

export type World = {
  api: Api;
  name: string;
  currency: string;
  timeZone: string;
  metrics: Map<string, Metric>;
  /** The test clock of all customers; null before the story sets the time. */
  clockId: string | null;
  /** Numbers the ids of events. */
  eventsSent: number;
  /** Letters of standalone fees, by id. */
  feeNames: Map<string, string>;
};

export function metricOf({ metrics }: World, code: string): Metric {
  const metric = metrics.get(code);
  if (!metric) throw new Error(`the story has no metric ${code}`);
  return metric;
}
