/** A small world in which every promise is kept, as rows: what the tests break, one promise at a time. */
import { advanceWorld } from "./advance-world.ts";
import {
  A,
  ADVANCE,
  ADVANCING,
  ARREARS,
  ARREARS_OF_B,
  ARREARS_USD,
  B,
  CHARGE,
  CHARGE_OF_B,
  COMMITMENT,
  FILTER,
  GONE,
  IDLE,
  id,
  METRIC,
  METRIC_OF_B,
  NEIGHBOR,
  OLD_CHARGE,
  PATIENT,
  PERSONAL,
  REAL,
  S,
  SPENDER,
  TRAVELLER,
  YEARLY,
} from "./names.ts";
import {
  bill,
  CHANGED,
  CREATED,
  customer,
  day,
  due,
  event,
  message,
  months,
  organization,
  plan,
  type Row,
  row,
  subscription,
} from "./rows.ts";

const JAN = day("2024-01-01");
const FEB = day("2024-02-01");
const MAR = day("2024-03-01");
const APR = day("2024-04-01");
const MAY = day("2024-05-01");
const NEXT_YEAR = day("2025-01-01");

const oldCharge = { id: OLD_CHARGE, billable_metric_id: METRIC, filters: [] };
const charge = { id: CHARGE, billable_metric_id: METRIC, filters: [{ id: FILTER }] };

const chargeOfB = { id: CHARGE_OF_B, billable_metric_id: METRIC_OF_B, filters: [] };
const metric = {
  code: PERSONAL,
  name: PERSONAL,
  aggregation_type: "count_agg",
  recurring: false,
  filters: [],
  ...CHANGED,
};

const catalog: Row[] = [
  organization(A, true),
  organization(B, false),
  row("test_clocks", { id: IDLE, now: day("2024-04-10"), ...CREATED }),
  row("test_clocks", { id: ADVANCING, now: APR, advancing_to: MAY, ready_at: "2024-04-10T11:59:00Z", ...CREATED }),
  row("counters", { series: "customers", value: 5 }),
  row("counters", { series: "customers", value: 1 }, B),
  customer(PATIENT, 1, { test_clock_id: IDLE }),
  customer(REAL, 2),
  customer(GONE, 3, { deleted_at: day("2024-03-10") }),
  customer(TRAVELLER, 4, { test_clock_id: ADVANCING, currency: "USD", timezone: "Asia/Tokyo" }),
  customer(SPENDER, 5),
  customer(NEIGHBOR, 1, { organization_id: B, currency: "USD" }),
  row("billable_metrics", { id: METRIC, ...metric }),
  row("billable_metrics", { id: METRIC_OF_B, ...metric }, B),
  ...plan(ARREARS, [{ charges: [oldCharge] }, { charges: [charge], minimum_commitment: { amount_cents: 1 } }]),
  ...plan(ADVANCE, [{ pay_in_advance: true }]),
  ...plan(YEARLY, [{ pay_in_advance: true, interval: "yearly", bill_charges_monthly: true }]),
  ...plan(ARREARS_USD, [{ amount_currency: "USD" }]),
  ...plan(ARREARS_OF_B, [{ amount_currency: "USD", charges: [chargeOfB] }], B),
  row("charges", {
    id: OLD_CHARGE,
    plan_id: ARREARS,
    billable_metric_id: METRIC,
    ...CREATED,
    deleted_at: day("2024-01-02"),
  }),
  row("charges", { id: CHARGE, plan_id: ARREARS, billable_metric_id: METRIC, ...CREATED }),
  row("charges", { id: CHARGE_OF_B, plan_id: ARREARS_OF_B, billable_metric_id: METRIC_OF_B, ...CREATED }, B),
  row("charge_filters", { id: FILTER, charge_id: CHARGE, ...CREATED }),
  row("minimum_commitments", { id: COMMITMENT, plan_id: ARREARS, ...CHANGED }),
];

const plainLife = (subscriptionId: string, of: string, more: { organization?: string; plan?: string } = {}): Row[] => {
  const { organization } = more;
  const where = { of, ...(organization === undefined ? {} : { organization }) };
  return [
    ...subscription(subscriptionId, { ...where, ...more, externalId: "plain", startedAt: "2024-01-15T09:00:00Z" }),
    ...months(subscriptionId, [1, 2, 3, 4], where),
    ...bill(subscriptionId, "periodic", FEB, {
      ...where,
      fee: [day("2024-01-15"), FEB],
      usage: ["2024-01-15T09:00:00Z", FEB],
    }),
    ...bill(subscriptionId, "periodic", MAR, { ...where, fee: [FEB, MAR], usage: [FEB, MAR] }),
    ...bill(subscriptionId, "periodic", APR, { ...where, fee: [MAR, APR], usage: [MAR, APR] }),
    ...due(subscriptionId, "period_end", MAY, where),
  ];
};

const UPGRADED_AT = "2024-03-20T08:00:00Z";

const changesOfPlan: Row[] = [
  ...subscription(S.upgraded, {
    externalId: "upgraded",
    startedAt: "2024-02-10T10:00:00Z",
    status: "terminated",
    terminated_at: UPGRADED_AT,
    end_cause: "upgraded",
  }),
  ...months(S.upgraded, [2, 3]),
  ...bill(S.upgraded, "periodic", MAR, { fee: [day("2024-02-10"), MAR], usage: ["2024-02-10T10:00:00Z", MAR] }),
  ...bill(S.upgraded, "terminating", UPGRADED_AT, { fee: [MAR, UPGRADED_AT], usage: [MAR, UPGRADED_AT] }),
  ...subscription(S.upgrade, {
    externalId: "upgraded",
    plan: YEARLY,
    startedAt: UPGRADED_AT,
    origin: "upgrade",
    previous_subscription_id: S.upgraded,
    subscription_at: "2024-02-10T10:00:00Z",
    anchor: "2024-02-10",
    first_started_at: "2024-02-10T10:00:00Z",
  }),
  row("subscription_periods", {
    subscription_id: S.upgrade,
    kind: "fee",
    starts_at: JAN,
    ends_at: NEXT_YEAR,
    first_day: "2024-01-01",
    last_day: "2024-12-31",
    created_at: UPGRADED_AT,
  }),
  ...months(S.upgrade, [3, 4], { kind: "charges" }),
  ...bill(S.upgrade, "starting", UPGRADED_AT, { key: S.upgraded, fee: [day("2024-03-20"), NEXT_YEAR] }),
  ...bill(S.upgrade, "periodic", APR, { usage: [UPGRADED_AT, APR] }),
  ...due(S.upgrade, "period_end", MAY),

  ...subscription(S.downgraded, {
    externalId: "downgraded",
    startedAt: FEB,
    status: "terminated",
    terminated_at: MAR,
    end_cause: "downgraded",
  }),
  ...months(S.downgraded, [2]),
  ...bill(S.downgraded, "terminating", MAR, { fee: [FEB, MAR], usage: [FEB, MAR] }),
  ...due(S.downgraded, "downgrade", MAR, { isDone: true }),
  ...subscription(S.downgrade, {
    externalId: "downgraded",
    plan: ADVANCE,
    startedAt: MAR,
    origin: "downgrade",
    previous_subscription_id: S.downgraded,
    subscription_at: FEB,
    anchor: "2024-02-01",
    first_started_at: FEB,
    takes_over_at: MAR,
    takes_over_on: "2024-03-01",
  }),
  ...months(S.downgrade, [3, 4]),
  ...bill(S.downgrade, "starting", MAR, { key: S.downgraded, fee: [MAR, APR] }),
  ...bill(S.downgrade, "periodic", APR, { fee: [APR, MAY], usage: [MAR, APR] }),
  ...due(S.downgrade, "period_end", MAY),

  ...subscription(S.leaving, { externalId: "leaving", plan: ADVANCE, startedAt: APR }),
  ...months(S.leaving, [4]),
  ...bill(S.leaving, "starting", APR, { fee: [APR, MAY] }),
  ...subscription(S.awaited, {
    externalId: "leaving",
    status: "pending",
    origin: "downgrade",
    previous_subscription_id: S.leaving,
    subscription_at: APR,
    takes_over_at: MAY,
    takes_over_on: "2024-05-01",
  }),
  ...due(S.leaving, "downgrade", MAY),
];

const startsAndEnds: Row[] = [
  ...subscription(S.upcoming, { externalId: "upcoming", status: "pending" }),
  ...due(S.upcoming, "activation", day("2024-06-01")),
  ...subscription(S.canceled, { externalId: "canceled", status: "canceled", canceled_at: day("2024-02-01") }),

  ...subscription(S.endedOnBoundary, {
    externalId: "twice",
    plan: ADVANCE,
    startedAt: day("2024-02-05"),
    status: "terminated",
    terminated_at: APR,
    end_cause: "ended",
  }),
  ...months(S.endedOnBoundary, [2, 3, 4]),
  ...bill(S.endedOnBoundary, "starting", day("2024-02-05"), { fee: [day("2024-02-05"), MAR] }),
  ...bill(S.endedOnBoundary, "periodic", MAR, { fee: [MAR, APR], usage: [day("2024-02-05"), MAR] }),
  ...bill(S.endedOnBoundary, "periodic", APR, { fee: [APR, MAY], usage: [MAR, APR] }),
  ...bill(S.endedOnBoundary, "terminating", APR),
  ...subscription(S.again, { externalId: "twice", startedAt: day("2024-04-05"), first_started_at: day("2024-02-05") }),
  ...months(S.again, [4]),
  ...due(S.again, "period_end", MAY),

  ...subscription(S.backdated, {
    externalId: "backdated",
    of: REAL,
    startedAt: day("2023-11-20"),
    origin: "backdated",
  }),
  ...months(S.backdated, [3, 4]),
  ...bill(S.backdated, "periodic", APR, { of: REAL, fee: [MAR, APR], usage: [MAR, APR] }),
  ...due(S.backdated, "period_end", MAY, { of: REAL }),

  ...subscription(S.ending, {
    externalId: "ending",
    of: REAL,
    startedAt: day("2024-04-03"),
    ending_at: "2024-04-28T10:00:00Z",
  }),
  ...months(S.ending, [4]),
  ...due(S.ending, "termination_alert", day("2024-04-13"), { of: REAL }),
  ...due(S.ending, "ending", "2024-04-28T10:00:00Z", { of: REAL }),

  ...subscription(S.ended, {
    externalId: "ended",
    of: GONE,
    startedAt: MAR,
    status: "terminated",
    terminated_at: day("2024-03-10"),
    end_cause: "ended",
  }),
  ...months(S.ended, [3]),
  ...bill(S.ended, "terminating", day("2024-03-10"), {
    of: GONE,
    fee: [MAR, day("2024-03-10")],
    usage: [MAR, day("2024-03-10")],
  }),

  ...subscription(S.travelling, {
    externalId: "travelling",
    of: TRAVELLER,
    plan: ARREARS_USD,
    startedAt: day("2024-03-10"),
    time_zone: "Asia/Tokyo",
  }),
  ...months(S.travelling, [3]),
  ...due(S.travelling, "period_end", APR, { of: TRAVELLER }),
];

const trials: Row[] = [
  ...subscription(S.inTrial, {
    externalId: "in-trial",
    of: REAL,
    plan: ADVANCE,
    startedAt: day("2024-04-05"),
    trial_ends_at: day("2024-05-05"),
  }),
  ...months(S.inTrial, [4]),
  ...due(S.inTrial, "period_end", MAY, { of: REAL }),
  ...due(S.inTrial, "trial_end", day("2024-05-05"), { of: REAL }),

  ...subscription(S.trialOver, {
    externalId: "trial-over",
    of: REAL,
    plan: ADVANCE,
    startedAt: MAR,
    trial_ends_at: day("2024-03-11"),
    trial_ended_at: day("2024-03-11"),
  }),
  ...months(S.trialOver, [3, 4]),
  ...bill(S.trialOver, "trial_end", day("2024-03-11"), { of: REAL, fee: [MAR, APR] }),
  ...message(S.trialOver, "subscription.trial_ended"),
  ...bill(S.trialOver, "periodic", APR, { of: REAL, fee: [APR, MAY], usage: [MAR, APR] }),
  ...due(S.trialOver, "period_end", MAY, { of: REAL }),
];

/** The first month of events was dropped. */
const usage: Row[] = [
  ...event("1", { id: id(201), received: day("2024-01-20"), shard: 0, position: 1, isDropped: true }),
  ...event("2", { id: id(202), received: MAR, shard: 0, position: 2 }),
  ...event("3", { id: id(203), received: APR, shard: 0, position: 3 }),
  ...event("4", { id: id(204), received: APR, shard: 1, position: 1 }),
  ...event("2", { id: id(205), received: MAR, shard: 0, position: 1, organization: B }),
  row("event_heads", { shard: 0, position: 3 }),
  row("event_heads", { shard: 1, position: 1 }),
  row("event_heads", { shard: 0, position: 1 }, B),
  row("event_counts", { hour: MAR, stripe: 0, received: 7, new: 3, duplicate: 2, conflict: 1, rejected: 1 }),
  row("event_counts", { hour: APR, stripe: 1, received: 1, new: 1, duplicate: 0, conflict: 0, rejected: 0 }),
  row("event_counts", { hour: MAR, stripe: 0, received: 1, new: 1, duplicate: 0, conflict: 0, rejected: 0 }, B),
];

/** In an order in which each row finds what it refers to. */
export const cleanWorld: readonly Row[] = [
  ...catalog,
  ...plainLife(S.plain, PATIENT),
  // The same external ids in another organization.
  ...plainLife(S.neighbor, NEIGHBOR, { organization: B, plan: ARREARS_OF_B }),
  ...changesOfPlan,
  ...startsAndEnds,
  ...trials,
  ...usage,
  ...advanceWorld,
];
