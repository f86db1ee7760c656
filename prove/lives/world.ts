/** What this life knows of what it did; the rest is read from the service. */
import type { MetricCode, MetricIds, PlanTerms, Setting } from "./catalogue.ts";
import { type Instant, instantOf } from "./days.ts";
import { type Documents, NO_DOCUMENTS } from "./documents.ts";
import type { Marks } from "./marks.ts";
import type { Session } from "./session.ts";

export const CUSTOMER = "customer";
/** Of every subscription: what comes after another one under the same id takes over its usage. */
export const SUBSCRIPTION = "subscription";

export type SentEvent = {
  readonly transactionId: string;
  readonly metric: MetricCode;
  readonly value: number;
  readonly at: Instant;
  /** What the clock showed. */
  readonly sentAt: Instant;
  readonly step: number;
};

/** From an instant on; the first is of the beginning. */
export type PlanVersion = { readonly from: Instant; readonly step: number; readonly terms: PlanTerms };

export type World = {
  readonly session: Session;
  readonly setting: Setting;
  readonly clockId: string;
  readonly metricIds: MetricIds;
  now: Instant;
  step: number;
  zone: string;
  graceDays: number;
  isDeleted: boolean;
  readonly plans: Map<string, PlanVersion[]>;
  readonly deletedPlans: Set<string>;
  readonly events: SentEvent[];
  /** Credit notes that were asked for; the others came by themselves. */
  readonly ownNotes: Set<string>;
  /** By invoice: the step after which it was first seen finalized. */
  readonly finalizedAt: Map<string, number>;
  /** Subscriptions that ended with the wish that nothing comes back. */
  readonly skippedNotes: Set<string>;
  readonly deletedFees: Set<string>;
  /** As they are shown, and as they are looked at: the same, unless the harness itself is put to the test. */
  shown: Documents;
  marks: Marks | undefined;
  documents: Documents;
};

type Made = { clockId: string; metricIds: MetricIds };

export function newWorld(session: Session, setting: Setting, { clockId, metricIds }: Made): World {
  const now = instantOf(setting.start);
  return {
    session,
    setting,
    clockId,
    metricIds,
    now,
    step: 0,
    zone: setting.zone,
    graceDays: setting.graceDays,
    isDeleted: false,
    plans: new Map(setting.plans.map((terms) => [terms.code, [{ from: now, step: 0, terms }]])),
    deletedPlans: new Set(),
    events: [],
    ownNotes: new Set(),
    finalizedAt: new Map(),
    skippedNotes: new Set(),
    deletedFees: new Set(),
    shown: NO_DOCUMENTS,
    marks: undefined,
    documents: NO_DOCUMENTS,
  };
}

/** As it is sold now. */
function planNow(world: World, code: string): PlanTerms | undefined {
  return world.deletedPlans.has(code) ? undefined : world.plans.get(code)?.at(-1)?.terms;
}

export const plansNow = (world: World): PlanTerms[] =>
  [...world.plans.keys()].flatMap((code) => planNow(world, code) ?? []);

export const activeOne = (world: World) => world.documents.subscriptions.find(({ status }) => status === "active");
