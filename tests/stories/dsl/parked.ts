/** Parked items, and what an operator does with them. */
import type { Customer } from "./customer.ts";
import type { Row } from "./invoice-text.ts";
import type { World } from "./world.ts";

type Item = {
  svc_id: string;
  kind: string;
  object: { type: string; external_id: string | null };
  reason: string;
  attempts: number;
  status: string;
};

export type ParkedActs = {
  /** Retries the latest parked item. */
  retriesParked: () => Promise<void>;
  /** Skips the latest parked item. */
  skipsParked: () => Promise<void>;
  /** Changes the tiers or the unit price of the only charge of a plan. */
  reprices: (plan: string, properties: object) => Promise<void>;
};

type Plan = { plan: { charges: { svc_id: string; svc_billable_metric_id: string; charge_model: string }[] } };

export const parkedActs = ({ api }: World): ParkedActs => {
  const resolve = async (how: "retry" | "skip") => {
    const [latest] = await findParked({ api });
    if (!latest) throw new Error("nothing is parked");
    await api.ask("POST", `/parked_items/${latest.svc_id}/${how}`, { reason: "the operator says so" });
  };
  return {
    retriesParked: () => resolve("retry"),
    skipsParked: () => resolve("skip"),
    reprices: async (code, properties) => {
      const { plan } = await api.ask<Plan>("GET", `/plans/${code}`);
      const charges = plan.charges.map(({ svc_id, svc_billable_metric_id, charge_model, ...rest }) => ({
        ...rest,
        id: svc_id,
        billable_metric_id: svc_billable_metric_id,
        charge_model,
        properties,
      }));
      await api.ask("PUT", `/plans/${code}`, { plan: { charges } });
      await api.settle();
    },
  };
};

const findParked = async ({ api }: Pick<World, "api">, status = "parked"): Promise<Item[]> =>
  (await api.ask<{ parked_items: Item[] }>("GET", `/parked_items?status=${status}`)).parked_items;

/** Kind, status, attempts and reason, oldest first. */
export async function parkedRowsOf(world: World): Promise<Row[]> {
  const all = (await Promise.all(["parked", "retried", "skipped"].map((status) => findParked(world, status)))).flat();
  return all
    .sort((one, other) => (one.svc_id < other.svc_id ? -1 : 1))
    .map(({ kind, status, attempts, reason }): Row => [kind, status, String(attempts), reason]);
}

type Listed = { events: { timestamp: string; status: string; reason: string | null }[] };

/** Day and status of each event, oldest first. */
export async function eventRowsOf({ api }: World, { name }: Customer): Promise<Row[]> {
  const { events } = await api.ask<Listed>("GET", `/events?external_subscription_id=${encodeURIComponent(name)}`);
  return events
    .sort((one, other) => (one.timestamp < other.timestamp ? -1 : 1))
    .map(({ timestamp, status, reason }): Row => [timestamp.slice(0, 10), reason ?? status]);
}
