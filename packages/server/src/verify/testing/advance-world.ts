/** An organization that bills an event in advance, for the clean database, and plants that break its promises. */
import { A, ADVANCE_CHARGE as CHARGE, GONE, id, PERSONAL, S } from "./names.ts";
import {
  CHANGED,
  CREATED,
  customer,
  day,
  due,
  message,
  months,
  organization,
  plan,
  type Row,
  row,
  subscription,
} from "./rows.ts";
import { copy, NEW, type Plant } from "./statements.ts";

const [C, CUSTOMER, METRIC, PLAN, SUBSCRIPTION] = [id(3), id(26), id(36), id(46), id(119)];
const [EVENT, LATE_EVENT, FEE, TALLY] = [id(206), id(207), id(301), id(302)];
const APRIL = day("2024-04-01");

const event = (eventId: string, shard: number, received: string): Row[] => {
  const identity = {
    id: eventId,
    external_subscription_id: `${PERSONAL}-advance`,
    transaction_id: `${PERSONAL} ${shard}`,
  };
  const times = { timestamp: day("2024-04-05"), received_at: received };
  const sent = { code: PERSONAL, properties: {}, digest: 1, shard, position: 1 };
  return [
    row("event_keys", { ...identity, ...times, body_digest: `\\x${"0".repeat(32)}` }, C),
    row("events", { ...identity, ...times, ...sent }, C),
  ];
};

/** The second event came through another shard and is not processed yet. The cursor was created with the plan, at the head of that time. */
export const advanceWorld: readonly Row[] = [
  organization(C, false),
  row("counters", { series: "customers", value: 1 }, C),
  customer(CUSTOMER, 1, { organization_id: C }),
  row(
    "billable_metrics",
    {
      id: METRIC,
      code: PERSONAL,
      name: PERSONAL,
      aggregation_type: "count_agg",
      recurring: false,
      filters: [],
      ...CHANGED,
    },
    C,
  ),
  row("event_heads", { shard: 0, position: 1 }, C),
  ...plan(PLAN, [{ charges: [{ id: CHARGE, billable_metric_id: METRIC, filters: [], pay_in_advance: true }] }], C),
  row("charges", { id: CHARGE, plan_id: PLAN, billable_metric_id: METRIC, ...CREATED }, C),
  ...subscription(SUBSCRIPTION, {
    of: CUSTOMER,
    organization: C,
    externalId: "advance",
    plan: PLAN,
    startedAt: APRIL,
  }),
  ...months(SUBSCRIPTION, [4], { organization: C }),
  ...due(SUBSCRIPTION, "period_end", day("2024-05-01"), { of: CUSTOMER, organization: C }),
  ...event(EVENT, 0, day("2024-04-05")),
  ...event(LATE_EVENT, 1, "2024-04-10T11:59:00Z"),
  row("event_heads", { shard: 1, position: 1 }, C),
  row(
    "event_counts",
    { hour: day("2024-04-05"), stripe: 0, received: 1, new: 1, duplicate: 0, conflict: 0, rejected: 0 },
    C,
  ),
  row(
    "event_counts",
    { hour: "2024-04-10T11:00:00Z", stripe: 0, received: 1, new: 1, duplicate: 0, conflict: 0, rejected: 0 },
    C,
  ),
  row(
    "advance_tallies",
    {
      id: TALLY,
      subscription_id: SUBSCRIPTION,
      charge_id: CHARGE,
      grouped_by: {},
      from_at: APRIL,
      plan_version: 1,
      tally: { usage: { units: "1", maximum: "1", events: "1" } },
      fees: 1,
    },
    C,
  ),
  row(
    "fees",
    {
      id: FEE,
      customer_id: CUSTOMER,
      subscription_id: SUBSCRIPTION,
      fee_key: "advance",
      line: 0,
      fee_type: "charge",
      kind: "in_advance",
      charge_id: CHARGE,
      item_id: METRIC,
      item_code: PERSONAL,
      item: {},
      grouped_by: {},
      pay_in_advance: true,
      invoiceable: false,
      is_renewal: false,
      regroups: false,
      event_id: EVENT,
      event_transaction_id: PERSONAL,
      currency: "EUR",
      amount_cents: 100,
      precise_amount_cents: 100,
      precise_unit_amount: 1,
      precise_coupons_amount_cents: 0,
      taxes_amount_cents: 0,
      taxes_rate: 0,
      units: 1,
      events_count: 1,
      from_at: APRIL,
      to_at: day("2024-05-01"),
      payment_status: "pending",
      derivation: {},
      created_at: day("2024-04-05"),
    },
    C,
  ),
  ...message(FEE, "fee.created", C),
];

/** A fee paid on its own, of a subscription that ended on March 10. */
export const paidFee = (changes: object): string =>
  copy("fees", `id = '${FEE}'`, {
    id: NEW,
    organization_id: A,
    customer_id: GONE,
    subscription_id: S.ended,
    kind: "prorated",
    event_id: null,
    event_transaction_id: null,
    regroups: true,
    payment_status: "succeeded",
    succeeded_at: day("2024-03-20"),
    ...changes,
  });

const OF_C = `organization_id = '${C}'`;

export const advancePlants: Readonly<Record<string, readonly Plant[]>> = {
  "advance-fees-are-made-once": [
    [
      "an event was billed twice",
      `drop index fees_once_of_event; ${copy("fees", `id = '${FEE}'`, { id: NEW })};
       ${copy("outbox", `object_id = '${FEE}'`, { id: NEW, object_id: NEW })};
       update advance_tallies set fees = 2, tally = '{"usage": {"events": "2"}}' where id = '${TALLY}'`,
    ],
    ["a fee was not published", `delete from outbox where object_id = '${FEE}'`],
  ],
  "advance-fees-are-not-missed": [
    ["an event was skipped", `update advance_cursors set positions = '{1, 1}' where ${OF_C}`],
    [
      "a fee is gone",
      `delete from fees where id = '${FEE}'; delete from outbox where object_id = '${FEE}';
       update advance_tallies set fees = 0 where id = '${TALLY}'`,
    ],
  ],
  "advance-tallies-count-fees": [
    ["a fee was not counted", `update advance_tallies set fees = 0 where id = '${TALLY}'`],
    ["a fee was counted that is missing", `update advance_tallies set fees = 2 where id = '${TALLY}'`],
    [
      "units of an event were lost",
      `update advance_tallies set tally = '{"usage": {"events": "0"}}' where id = '${TALLY}'`,
    ],
    ["a tally is gone", `delete from advance_tallies where id = '${TALLY}'`],
  ],
  "paid-fees-are-invoiced": [["a fee was paid after the end, and no invoice takes it", paidFee({})]],
  "paid-fees-stay": [
    [
      "a paid fee was deleted",
      `alter table fees drop constraint fees_paid_stay; ${paidFee({ deleted_at: day("2024-03-21"), regroups: false })}`,
    ],
    [
      "a fee that was paid and refunded was deleted",
      `alter table fees drop constraint fees_paid_stay; ${paidFee({ deleted_at: day("2024-03-21"), payment_status: "refunded", succeeded_at: null, refunded_at: day("2024-03-20") })}`,
    ],
    ["a published fee is gone", copy("outbox", `object_id = '${FEE}'`, { id: NEW, object_id: NEW })],
  ],
  "cursors-follow-heads": [
    ["a cursor is ahead", `update advance_cursors set positions = '{5}' where ${OF_C}`],
    ["a cursor has a shard that does not exist", `update advance_cursors set positions = '{1, 0, 1}' where ${OF_C}`],
  ],
};

export const advanceFalseAlarms: readonly Plant[] = [
  [
    "an edit of the filters moved an event to another filter",
    `${copy("plan_versions", `plan_id = '${PLAN}'`, { version: 2 })}; update plans set version = 2 where id = '${PLAN}';
     update plan_versions set terms = jsonb_set(terms, '{charges,0,filters}', '[{"id": "${NEW}"}]') where plan_id = '${PLAN}' and version = 2;
     insert into charge_filters select (jsonb_populate_record(filter, '{"organization_id": "${C}", "id": "${NEW}", "charge_id": "${CHARGE}"}')).*
       from charge_filters filter;
     update advance_tallies set plan_version = 2, tally = '{"usage": {"events": "0"}}' where id = '${TALLY}'`,
  ],
  [
    "an event was billed before other terms were agreed on, by a test clock that stood long before both",
    `${copy("charges", `id = '${CHARGE}'`, { id: NEW })};
     update charges set deleted_at = '${day("2024-04-06")}' where id = '${CHARGE}';
     ${copy("plan_versions", `plan_id = '${PLAN}'`, { version: 2, made_at: day("2024-04-06") })};
     update plan_versions set terms = jsonb_set(terms, '{charges,0,id}', '"${NEW}"') where plan_id = '${PLAN}' and version = 2;
     update plans set version = 2 where id = '${PLAN}'`,
  ],
];
