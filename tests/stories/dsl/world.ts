/** What a story has set up so far, for those who act in it. */
import type { Api } from "./api.ts";

export type Metric = { id: string; kind: "count" | "sum" | "max" | "latest" | "unique" | "weighted"; field: string };

export type World = {
  api: Api;
  name: string;
  currency: string;
  timeZone: string;
  metrics: Map<string, Metric>;
  /** The test clock on which all customers live; null before the story says what time it is. */
  clockId: string | null;
  /** For identities of events. */
  eventsSent: number;
  /** Letters of fees that stand alone, by their ids. */
  feeNames: Map<string, string>;
};

export function metricOf({ metrics }: World, code: string): Metric {
  const metric = metrics.get(code);
  if (!metric) throw new Error(`the story has no metric ${code}`);
  return metric;
}
