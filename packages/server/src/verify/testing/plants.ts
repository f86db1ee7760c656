/** For each invariant, statements that break it and no other. They run on the clean database without triggers and references. */
import { advancePlants } from "./advance-world.ts";
import { billPlants } from "./bill-plants.ts";
import { eventPlants } from "./event-plants.ts";
import { invoicePlants } from "./invoice-world.ts";
import { copyOfCoupon, ledgerPlants } from "./ledger-world.ts";
import { mailPlants } from "./mail-world.ts";
import {
  A,
  ADVANCE,
  ADVANCE_CHARGE,
  ADVANCING,
  ARREARS,
  CHARGE,
  COMMITMENT,
  FILTER,
  GONE,
  id,
  PATIENT,
  REAL,
  S,
} from "./names.ts";
import { parkedPlants } from "./parked-plants.ts";
import { planPlants } from "./plan-plants.ts";
import { pricePlants } from "./price-plants.ts";
import { receivablePlants } from "./receivable-plants.ts";
import { spendingPlants } from "./spending-plants.ts";
import { addDue, addPeriod, copy, NEW, of, openDue, type Plant } from "./statements.ts";
import { trailPlants } from "./trail-world.ts";
import { valuePlants } from "./value-plants.ts";
import { copyOfWallet, walletPlants } from "./wallet-world.ts";
import { webhookPlants } from "./webhook-world.ts";
import { workPlants } from "./work-plants.ts";

const [MARCH, APRIL] = ["2024-03-01T00:00:00Z", "2024-04-01T00:00:00Z"];
const COUNTER = `organization_id = '${A}' and series = 'customers'`;
const FEBRUARY = "starts_at = '2024-02-01T00:00:00Z'";
const change = (subscriptionId: string, columns: string): string =>
  `update subscriptions set ${columns} where id = '${subscriptionId}'`;

export const plants: Readonly<Record<string, readonly Plant[]>> = {
  "tables-are-protected": [
    ["a table does not force row level security", "alter table taxes no force row level security"],
    ["a table is not protected at all", "create table planted (organization_id uuid, id uuid)"],
    ["a table is hidden by its policy", "drop policy verification on taxes"],
    ["a table is hidden by its rights", "revoke select on idempotency_keys from tallystick_verifier"],
  ],
  "roles-are-bound": [
    ["a role sees past the policies", "alter role tallystick_app bypassrls"],
    ["a role can become the owner", "grant tallystick_owner to tallystick_app"],
  ],
  "references-stay-in-tenant": [
    [
      "a reference has no organization",
      "alter table bills add constraint planted foreign key (customer_id) references organizations (id) not valid",
    ],
    [
      "the organization refers to something else",
      `alter table bills add constraint planted
         foreign key (organization_id, id) references customers (id, organization_id) not valid`,
    ],
  ],
  "customers-are-numbered": [
    ["the counter ran ahead", `update counters set value = value + 1 where ${COUNTER}`],
    ["the counter is gone", `delete from counters where ${COUNTER}`],
    [
      "a number is missing",
      `update customers set sequential_id = 9 where id = '${REAL}';
       update counters set value = 9 where ${COUNTER}`,
    ],
    [
      "the numbers begin with 0",
      `alter table customers drop constraint customers_sequential_id_check;
       update customers set sequential_id = 0 where id = '${PATIENT}'`,
    ],
    [
      "a number is used twice",
      `alter table customers drop constraint customers_organization_id_sequential_id_key;
       update customers set sequential_id = 4 where id = '${REAL}'`,
    ],
  ],
  "plan-versions-are-counted": [
    ["a version is missing", `delete from plan_versions where plan_id = '${ARREARS}' and version = 1`],
    ["a plan has a version beyond its own", copy("plan_versions", `plan_id = '${ADVANCE}'`, { version: 2 })],
  ],
  "plan-parts-follow-versions": [
    ["a charge is gone", `update charges set deleted_at = now() where id = '${CHARGE}'`],
    ["a charge exists that no version names", copy("charges", `id = '${CHARGE}'`, { id: NEW })],
    [
      "a charge is on another metric",
      `update charges set billable_metric_id = '${NEW}' where id = '${ADVANCE_CHARGE}'`,
    ],
    ["a filter is gone", `update charge_filters set deleted_at = now() where id = '${FILTER}'`],
    ["a commitment is gone", `update minimum_commitments set deleted_at = now() where id = '${COMMITMENT}'`],
    [
      "a commitment exists that no version names",
      copy("minimum_commitments", `id = '${COMMITMENT}'`, { id: NEW, plan_id: ADVANCE }),
    ],
  ],
  "test-clocks-go-forward": [
    ["a live organization has a clock", `update organizations set is_sandbox = false where id = '${A}'`],
    [
      "a clock moves backward",
      `alter table test_clocks drop constraint test_clocks_check;
       update test_clocks set advancing_to = '2024-03-01T00:00:00Z' where id = '${ADVANCING}'`,
    ],
  ],
  "customers-have-one-currency": [
    ["a customer changed its currency", `update customers set currency = 'USD' where id = '${PATIENT}'`],
    ["a customer lost its currency", `update customers set currency = null where id = '${PATIENT}'`],
  ],
  "zones-follow-customers": [
    ["a customer moved alone", `update customers set timezone = 'Europe/Paris' where id = '${PATIENT}'`],
  ],
  "deleted-customers-have-nothing": [
    ["a customer left work behind", addDue(S.ended, "something_else", { customer_id: GONE, test_clock_id: null })],
    ["a customer went without its subscriptions", `update customers set deleted_at = now() where id = '${REAL}'`],
    ["a customer left a wallet behind", copyOfWallet({ customer_id: GONE })],
    ["a customer got a coupon back", copyOfCoupon({ customer_id: GONE })],
  ],
  "one-subscription-per-id": [
    [
      "two downgrades wait for one",
      `drop index subscriptions_pending__external_id; ${copy("subscriptions", `id = '${S.awaited}'`, { id: NEW })}`,
    ],
    [
      "two customers have one id",
      `drop index subscriptions_active__external_id; alter table subscriptions drop constraint subscriptions_owner__external_id;
       ${change(S.travelling, "external_id = 'personal-plain'")}`,
    ],
    [
      "an active and a pending subscription share an id",
      `${copy("subscriptions", `id = '${S.upcoming}'`, { id: NEW, external_id: "personal-plain" })};
       ${copy("due_instants", openDue(S.upcoming, "activation"), { id: id(901), subject_id: NEW })}`,
    ],
  ],
  "lives-do-not-overlap": [
    [
      "a life lies inside another",
      `${change(S.endedOnBoundary, "external_id = 'personal-downgraded', first_started_at = '2024-02-01T00:00:00Z'")};
       ${change(S.again, "first_started_at = started_at")}`,
    ],
    ["a trial counts from a later start", change(S.again, "first_started_at = started_at")],
  ],
  "changes-of-plan-join": [
    ["anniversaries moved", change(S.upgrade, "anchor = '2024-02-11'")],
    ["an upgrade followed a downgrade", change(S.downgrade, "origin = 'upgrade'")],
    ["an end has a successor", change(S.upgraded, "end_cause = 'ended'")],
    ["an upgrade has no successor", change(S.ended, "end_cause = 'upgraded'")],
    ["the two sides differ in their billing time", change(S.upgrade, "billing_time = 'anniversary'")],
    ["a downgrade waits for another day", change(S.awaited, "takes_over_on = '2024-05-02'")],
    ["a new subscription names a predecessor", change(S.again, `previous_subscription_id = '${S.endedOnBoundary}'`)],
  ],
  "periods-join": [
    [
      "an hour is in no period",
      `update subscription_periods set starts_at = starts_at + interval '1 hour' where ${of(S.plain, FEBRUARY)}`,
    ],
    [
      "a day is in no period",
      `update subscription_periods set first_day = first_day + 1 where ${of(S.plain, FEBRUARY)}`,
    ],
  ],
  "periods-hold-life": [
    ["the day of a start lies after its period", change(S.plain, "start_day = '2024-02-02'")],
    ["the day of a start lies before its period", change(S.again, "start_day = '2024-03-31'")],
    ["a start lies after its period", change(S.travelling, `started_at = '${APRIL}', first_started_at = '${APRIL}'`)],
    ["a start lies before its period", change(S.leaving, `started_at = '${MARCH}', first_started_at = '${MARCH}'`)],
    [
      "an end lies after the last period",
      `update subscription_periods set ends_at = '2024-03-09T00:00:00Z' where ${of(S.ended)}`,
    ],
    ["a pending subscription has periods", `${addPeriod(S.upcoming, "fee")}; ${addPeriod(S.upcoming, "charges")}`],
    [
      "a backdated subscription is billed for past periods",
      `update subscription_periods set created_at = '2024-04-01T00:00:00Z' where ${of(S.backdated)}`,
    ],
    [
      "a subscription has no periods",
      `${copy("subscriptions", `id = '${S.canceled}'`, {
        id: NEW,
        status: "active",
        canceled_at: null,
        started_at: "2024-04-05T00:00:00Z",
        start_day: "2024-04-05",
        anchor: "2024-04-05",
        first_started_at: "2024-04-05T00:00:00Z",
      })};
       update outbox set object_id = '${NEW}', webhook_type = 'subscription.started' where object_id = '${S.canceled}';
       delete from subscriptions where id = '${S.canceled}'`,
    ],
  ],
  "charges-fit-fees": [
    [
      "monthly charges though the plan has none",
      `update subscription_periods set ends_at = ends_at + interval '1 day' where ${of(S.ending, "kind = 'fee'")}`,
    ],
    [
      "a month begins before its year",
      `update subscription_periods set starts_at = '2024-03-15T00:00:00Z' where ${of(S.upgrade, "kind = 'fee'")}`,
    ],
    ["a fee period has no charges", addPeriod(S.inTrial, "fee")],
  ],
  ...trailPlants,
  ...advancePlants,
  ...billPlants,
  ...pricePlants,
  ...eventPlants,
  ...invoicePlants,
  ...ledgerPlants,
  ...mailPlants,
  ...parkedPlants,
  ...receivablePlants,
  ...spendingPlants,
  ...planPlants,
  ...valuePlants,
  ...walletPlants,
  ...workPlants,
  ...webhookPlants,
};
