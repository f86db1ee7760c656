/** Counters for operators. No label names an organization or a customer: the page has no key. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requestSeconds: new Histogram({
      name: "tallystick_http_request_seconds",
      help: "Time to answer a request.",
      labelNames: ["method", "route", "status"],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30],
      registers,
    }),
    workDone: new Counter({
      name: "tallystick_work_done_total",
      help: "Due instants, outbox rows and jobs that were done.",
      labelNames: ["source", "kind"],
      registers,
    }),
    workFailed: new Counter({
      name: "tallystick_work_failed_total",
      help: "Attempts that failed and will be repeated.",
      labelNames: ["source", "kind"],
      registers,
    }),
    clockSkewSeconds: new Gauge({
      name: "tallystick_clock_skew_seconds",
      help: "This machine's clock minus the database's. Work stops above 2 s.",
      registers,
    }),
  };
}
