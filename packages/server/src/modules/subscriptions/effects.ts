/** Effects of a change of a plan, or of the organization's time zone, on many customers: each customer separately, one after another. */
import { type Active, type Downgrade, reconsiderDowngrade } from "@tallystick/core/subscription";
import { enqueueJob, type JobHandler } from "../../jobs/queue.ts";
import { alone } from "../../platform/postgres/batch.ts";
import { type Database, inOrganization, type Tx } from "../../platform/postgres/database.ts";
import type { Log } from "../../platform/telemetry/log.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import { findOrganization } from "../accounts/index.ts";
import { findCustomerById, holdCustomer, type LockedCustomer } from "../customers/index.ts";
import { endAll, moveSubscriptions } from "./follow-customer.ts";
import { openScope } from "./open-scope.ts";
import { toCore } from "./row.ts";
import type { LifeDeps } from "./scope.ts";
import { findCustomersInOtherZone, findCustomersOfPlan, findLiveOfCustomer, findPlanFamily } from "./store.ts";
import { saveUpgrade } from "./subscribe.ts";

const BATCH = 100;

type EffectDeps = LifeDeps & { db: Database; metrics: Metrics; log: Log };

/** `find` returns the next affected customers, by id, after a given one. `apply` is safe to repeat. */
type Effect = {
  find: (tx: Tx, organizationId: string, after: string) => Promise<string[]>;
  apply: (tx: Tx, customer: LockedCustomer) => Promise<void>;
};
type EffectName = keyof typeof EFFECTS;

const NOBODY = "00000000-0000-0000-0000-000000000000";

const EFFECTS = {
  end_subscriptions_of_plan: (deps: LifeDeps, planId: string): Effect => ({
    find: (tx, organizationId, after) => findCustomersOfPlan(tx, organizationId, planId, { after, limit: BATCH }),
    apply: async (tx, customer) => {
      const scope = await openScope(tx, customer, deps);
      const family = new Set(await findPlanFamily(tx, scope.organizationId, planId));
      await endAll(tx, scope, (id) => family.has(id));
    },
  }),

  /** A changed amount may have turned a waiting downgrade into an upgrade. */
  reconsider_downgrades_of_plan: (deps: LifeDeps, planId: string): Effect => ({
    find: (tx, organizationId, after) => findCustomersOfPlan(tx, organizationId, planId, { after, limit: BATCH }),
    apply: async (tx, customer) => {
      const scope = await openScope(tx, customer, deps);
      const live = await findLiveOfCustomer(tx, scope.organizationId, customer.row.id);
      for (const next of live) {
        const current = live.find(({ row }) => row.id === next.row.previous_subscription_id);
        if (!current || ![current, next].some(({ row }) => row.plan_id === planId)) continue;
        const chain = { current: toCore(current) as Active, next: toCore(next) as Downgrade };
        const change = reconsiderDowngrade(chain.current, chain.next, scope.now);
        if (change.type !== "upgraded") continue;
        const planOfNext = { planId: next.row.plan_id, name: next.row.name, loaded: { chain, current, next } };
        await saveUpgrade(tx, scope, change, planOfNext);
      }
    },
  }),

  move_subscriptions: (deps: LifeDeps): Effect => ({
    find: (tx, organizationId, after) => findCustomersInOtherZone(tx, organizationId, { after, limit: BATCH }),
    apply: async (tx, customer) => {
      await openScope(tx, customer, deps);
      const { timezone } = await findOrganization(alone(tx), customer.row.organization_id);
      await moveSubscriptions(deps)(tx, customer, customer.row.timezone ?? timezone);
    },
  }),
};

/** Queues the effect in the transaction that causes it. */
const ask = (tx: Tx, name: EffectName, planId = "") =>
  enqueueJob(tx, name, { planId }, { jobKey: `${name}:${planId}` });

export const subscriptionEffects = (deps: EffectDeps) => ({
  onPlanChanged: (tx: Tx, planId: string) => ask(tx, "reconsider_downgrades_of_plan", planId),
  onPlanDeleted: (tx: Tx, planId: string) => ask(tx, "end_subscriptions_of_plan", planId),
  /** Deleting a plan with few subscribers ends them at once. The job ends the others, and those that could not end now. */
  afterPlanDeleted: async (organizationId: string, planId: string): Promise<void> => {
    const name = "end_subscriptions_of_plan";
    await applyToBatch(deps, organizationId, { name, effect: EFFECTS[name](deps, planId), after: NOBODY });
  },
  onOrganizationMoved: (tx: Tx) => ask(tx, "move_subscriptions"),
});

export const subscriptionJobs = (deps: EffectDeps): Record<string, JobHandler> =>
  Object.fromEntries(
    Object.entries(EFFECTS).map(([name, make]) => [
      name,
      async (organizationId: string, payload: unknown) => {
        const effect = make(deps, (payload as { planId: string }).planId);
        let failed = 0;
        let after: string | undefined = NOBODY;
        while (after !== undefined) {
          const applied: Applied = await applyToBatch(deps, organizationId, { name, effect, after });
          failed += applied.failed;
          after = applied.last;
        }
        // Then the job is repeated, only for the failed customers: nothing is left to do for the others.
        if (failed > 0) throw new Error(`${name} failed for ${failed} customers`);
      },
    ]),
  );

/** `last`: the last customer of a full batch, after which more may follow. */
type Applied = { last: string | undefined; failed: number };

/** Each customer has its own transaction: one that cannot be changed now, because its clock advances, does not block the others. */
async function applyToBatch(
  { db, clock, metrics, log }: EffectDeps,
  organizationId: string,
  { name, effect, after }: { name: string; effect: Effect; after: string },
): Promise<Applied> {
  const ids = await inOrganization(db, organizationId, (tx) => effect.find(tx, organizationId, after));
  let failed = 0;
  for (const id of ids) {
    try {
      await inOrganization(db, organizationId, async (tx) => {
        const found = await findCustomerById(tx, organizationId, id);
        const locked = found && (await holdCustomer(tx, organizationId, found, clock));
        if (locked) await effect.apply(tx, locked);
      });
      metrics.workDone.inc({ source: "effect", kind: name });
    } catch (error) {
      failed++;
      log.warn({ err: error, customer: id, effect: name }, "an effect on a customer failed and will be retried");
      metrics.workFailed.inc({ source: "effect", kind: name });
    }
  }
  return { last: ids.length === BATCH ? ids.at(-1) : undefined, failed };
}
