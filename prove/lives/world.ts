/** What this life knows of what it did; the rest is read from the service. */
import type { ChargeTerms, MetricCode, MetricIds, PlanTerms, Setting } from "./catalogue.ts";
import { type Instant, instantOf } from "./days.ts";
import { type Documents, NO_DOCUMENTS, type Previewed } from "./documents.ts";
import type { Marks } from "./marks.ts";
import type { Misreading } from "./model/misreadings.ts";
import type { Life, World as Model, PlanTerms as ModelPlan } from "./model/world.ts";
import { newModel } from "./new-model.ts";
import type { Session } from "./session.ts";

export const CUSTOMER = "customer";
/** External ids: what comes after another one under the same id takes over its usage. */
export const SUBSCRIPTIONS = ["subscription", "second"] as const;

export type SentEvent = {
  readonly transactionId: string;
  /** The external id that it is for. */
  readonly subscription: string;
  readonly metric: MetricCode;
  readonly value: number;
  readonly at: Instant;
  /** What the clock showed. */
  readonly sentAt: Instant;
  readonly step: number;
};

/** An event beyond a limit: its amount does not fit, or its quantity has too many digits. Nothing of it is billed. */
export type TooLarge = { readonly transactionId: string; readonly limit: "amount" | "digits" };

/** From an instant on; the first is of the beginning. */
export type PlanVersion = { readonly from: Instant; readonly step: number; readonly terms: PlanTerms };

/** What a subscription costs from an instant on; the first is of the beginning. */
export type LockedTerms = {
  readonly from: Instant;
  readonly step: number;
  readonly amount: number;
  readonly commitment: number;
  readonly charges: readonly ChargeTerms[];
  /** Agreed on for this subscription alone: what is edited in the plan later does not concern it. */
  readonly isOwn: boolean;
};

export type World = {
  readonly session: Session;
  readonly setting: Setting;
  readonly clockId: string;
  readonly metricIds: MetricIds;
  now: Instant;
  step: number;
  zone: string;
  graceDays: number;
  /** At some time: an invoice may have been a draft. */
  hadGrace: boolean;
  isDeleted: boolean;
  readonly plans: Map<string, PlanVersion[]>;
  /** What is known of subscriptions, and what follows from it by the rules. */
  readonly model: Model;
  /** The same with a rule misread, as far as it was not distinguished. */
  readonly misread: Map<Misreading, Model>;
  /** Terms as they were listed at some time; others are agreed on for one subscription. */
  readonly listed: Set<ModelPlan>;
  readonly terms: Map<Life, readonly LockedTerms[]>;
  /** By draft and subscription: the terms of an edit that was applied to it. */
  readonly appliedToDrafts: Map<string, Map<Life, LockedTerms>>;
  /** Drafts that were repriced while a subscription on them had prices of its own. */
  readonly unclearDrafts: Set<string>;
  hasMoved: boolean;
  readonly events: SentEvent[];
  readonly tooLarge: TooLarge[];
  /** For the check after this step. */
  previewed: Previewed | undefined;
  /** Credit notes that were asked for; the others came by themselves. */
  readonly ownNotes: Set<string>;
  /** By invoice: the step after which it was first seen finalized. */
  readonly finalizedAt: Map<string, number>;
  readonly deletedFees: Set<string>;
  /** Fees on no invoice that were paid at some time. */
  readonly paidFees: Set<string>;
  /** A fee for seats is among them: their days are not added up any more. */
  hasDeletedSeats: boolean;
  /** As they were shown last, and as they are looked at: the same, unless the harness itself is put to the test. */
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
    hadGrace: setting.graceDays > 0,
    isDeleted: false,
    plans: new Map(setting.plans.map((terms) => [terms.code, [{ from: now, step: 0, terms }]])),
    model: newModel(setting, CUSTOMER, null),
    misread: new Map(
      [...(session.stage.watch?.misreadings ?? [])].map((name) => [name, newModel(setting, CUSTOMER, name)]),
    ),
    listed: new Set(),
    terms: new Map(),
    appliedToDrafts: new Map(),
    unclearDrafts: new Set(),
    hasMoved: false,
    events: [],
    tooLarge: [],
    previewed: undefined,
    ownNotes: new Set(),
    finalizedAt: new Map(),
    deletedFees: new Set(),
    paidFees: new Set(),
    hasDeletedSeats: false,
    shown: NO_DOCUMENTS,
    marks: undefined,
    documents: NO_DOCUMENTS,
  };
}

/** As they are sold now. */
export const plansNow = ({ model, plans }: World): PlanTerms[] =>
  [...model.plans.keys()].flatMap((code) => plans.get(code)?.at(-1)?.terms ?? []);
