/** Metrics for operators. No label names an organization or a customer, because the page needs no key. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    showStuck,
    requestSeconds: new Histogram({
      name: "tallystick_http_request_seconds",
      help: "Time to respond to a request.",
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
      help: "Attempts that failed and will be retried.",
      labelNames: ["source", "kind"],
      registers,
    }),
    relayedEvents: new Counter({
      name: "tallystick_relayed_events_total",
      help: "Events that this process copied into ClickHouse.",
      registers,
    }),
    relayLagEvents: new Gauge({
      name: "tallystick_relay_lag_events",
      help: "Accepted events that are not in ClickHouse yet.",
      registers,
    }),
    relayLagSeconds: new Gauge({
      name: "tallystick_relay_lag_seconds",
      help: "How long the oldest accepted event that is not in ClickHouse has been waiting.",
      registers,
    }),
    usageReadings: new Counter({
      name: "tallystick_usage_readings_total",
      help: "Metrics whose usage was read from ClickHouse, by where it was found: in the cells of rollups or in all events.",
      labelNames: ["source"],
      registers,
    }),
    invoicesHeld: new Counter({
      name: "tallystick_invoices_held_total",
      help: "Invoices that are held because two computations differ. Alert above 0.",
      registers,
    }),
    secondOpinionsMissing: new Counter({
      name: "tallystick_second_opinions_missing_total",
      help: "Invoices that were finalized without their second opinion, because it could not be computed.",
      registers,
    }),
    clockSkewSeconds: new Gauge({
      name: "tallystick_clock_skew_seconds",
      aggregator: "average",
      help: "This machine's clock minus the database's. Work and writes stop above 2 s.",
      registers,
    }),
  };
}

/** Read from the database whenever it is asked for: the values of several processes are not added up. */
function showStuck(stuck: readonly { kind: string; count: number }[]): Promise<string> {
  const registry = new Registry();
  const gauge = new Gauge({
    name: "tallystick_stuck_work",
    help: "Work that has waited for more than 10 minutes or failed 5 times, by kind. /ready shows the same list, with what to do.",
    labelNames: ["kind"],
    registers: [registry],
  });
  for (const { kind, count } of stuck) gauge.set({ kind }, count);
  return registry.metrics();
}
