/** What the model knows: plain facts about plans, customers and subscriptions. Everything else is worked out from them when asked. */
import type { Day, Instant, Schedule } from "./calendar.ts";
import type { Misreading } from "./misreadings.ts";

export type PlanTerms = {
  readonly code: string;
  readonly interval: Schedule["interval"];
  readonly amount: number;
  readonly currency: string;
  readonly isInAdvance: boolean;
  readonly trialDays: number;
  readonly areChargesMonthly: boolean;
};

export type Customer = {
  readonly externalId: string;
  readonly isOnTestClock: boolean;
  /** Its own, or the organization's. */
  zone: string;
  hasOwnZone: boolean;
  currency: string | null;
  isDeleted: boolean;
};

/** How a subscription began. */
export type Beginning = {
  readonly at: Instant;
  /** When that was decided: later than the start of a backdated one, earlier than one that begins later today. */
  readonly decidedAt: Instant;
  readonly startDay: Day;
  /** The date that anniversaries count from. */
  readonly anchor: Day;
  readonly zone: string;
  /** The first period billed is the one that holds this day. */
  readonly opensOn: Day;
  readonly firstStart: Instant;
  readonly trial: { readonly endsAt: Instant; readonly wasOver: boolean } | null;
};

/** By request: what was due at that very instant came before it. Otherwise the end came first, and closed what ended there. */
export type End = {
  readonly at: Instant;
  readonly isByRequest: boolean;
  readonly cause: "ended" | "upgraded" | "downgraded";
};

/** What an end makes: of unused days that were paid in advance, and of the period that ends. null: nothing was said. */
export type AtEnd = {
  readonly creditNote: "credit" | "refund" | "skip" | null;
  readonly invoice: "generate" | "skip" | null;
};

/** undefined: not said. */
export type AtEndRequest = { readonly [Name in keyof AtEnd]?: AtEnd[Name] | undefined };

/** What is said replaces what was agreed. A plan in arrears has nothing to give back. */
export const agreeAtEnd = ({ isInAdvance }: PlanTerms, said: AtEndRequest, before: AtEnd | null): AtEnd => {
  const { creditNote = before?.creditNote ?? null, invoice = before?.invoice ?? null } = said;
  return { creditNote: isInAdvance ? creditNote : null, invoice };
};

/** A change of plan is no end. */
export const isEndUnbilled = ({ end, atEnd }: Life): boolean => end?.cause === "ended" && atEnd.invoice === "skip";

/** One subscription from the request that made it on. */
export type Life = {
  readonly customer: Customer;
  readonly externalId: string;
  readonly billingTime: Schedule["billingTime"];
  plan: PlanTerms;
  status: "pending" | "active" | "terminated" | "canceled";
  origin: "new" | "backdated" | "upgrade" | "downgrade";
  subscriptionAt: Instant;
  endingAt: Instant | null;
  atEnd: AtEnd;
  /** What it replaced, or waits to replace. */
  readonly previous: Life | null;
  /** Of a downgrade to come. */
  readonly takesOver: { readonly at: Instant; readonly on: Day } | null;
  begun: Beginning | null;
  end: End | null;
  canceledAt: Instant | null;
  /** Zones it came to live in, in order. */
  readonly moves: { readonly at: Instant; readonly zone: string }[];
  openAlerts: Instant[];
  readonly sentAlerts: Instant[];
};

export type World = {
  now: Instant;
  /** Of customers that were not put on the test clock; it stands still. */
  readonly realNow: Instant;
  readonly settleSeconds: number;
  /** The organization's, for customers without one of their own. */
  zone: string;
  readonly customers: Customer[];
  /** In the order in which they were made. */
  readonly lives: Life[];
  /** Plans that exist in the service, by code. */
  readonly plans: Map<string, PlanTerms>;
  readonly misreading: Misreading | null;
};

export const nowOf = (world: World, customer: Customer): Instant =>
  customer.isOnTestClock ? world.now : world.realNow;

export const findCustomer = ({ customers }: World, externalId: string): Customer | undefined =>
  customers.find((customer) => customer.externalId === externalId && !customer.isDeleted);

export const isLive = ({ status }: Life): boolean => status === "active" || status === "pending";

/** Those that are active or to come under an external id. */
export const liveOnes = ({ lives }: World, externalId: string): Life[] =>
  lives.filter((life) => life.externalId === externalId && isLive(life));

/** The downgrade that waits to replace a subscription. */
export const awaitedAfter = ({ lives }: World, life: Life): Life | undefined =>
  lives.find(({ status, previous }) => status === "pending" && previous === life);

/** The zone that decides at an instant, if all that was due by then came before a move at that instant. */
export const zoneAt = ({ begun, moves }: Life, at: Instant): string =>
  moves.findLast((move) => move.at < at)?.zone ?? begun?.zone ?? "UTC";

const PER_YEAR = { weekly: 52, monthly: 12, quarterly: 4, semiannual: 2, yearly: 1 };

export const yearlyAmount = ({ interval, amount }: PlanTerms): number => amount * PER_YEAR[interval];
