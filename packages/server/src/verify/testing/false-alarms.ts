/** States that look like a broken promise but are correct. */
import { advanceFalseAlarms, paidFee } from "./advance-world.ts";
import { invoiceFalseAlarms } from "./invoice-world.ts";
import { mailFalseAlarms } from "./mail-world.ts";
import { ADVANCING, GONE, id, S } from "./names.ts";
import { parkedFalseAlarms } from "./parked-plants.ts";
import { planFalseAlarms } from "./plan-plants.ts";
import { priceAlarms } from "./price-plants.ts";
import { receivableFalseAlarms } from "./receivable-plants.ts";
import { spendingFalseAlarms } from "./spending-plants.ts";
import {
  addDue,
  billOf,
  copy,
  doneDue,
  dropWindow,
  moveWindow,
  NEW,
  of,
  openDue,
  type Plant,
  skipEnd,
  trialEndsWithPeriod,
} from "./statements.ts";
import { valueFalseAlarms } from "./value-plants.ts";
import { copyOfWallet } from "./wallet-world.ts";
import { webhookFalseAlarms } from "./webhook-world.ts";

const BEGUN = "2024-03-20T01:00:00Z";
const MAY = "2024-05-01T00:00:00Z";
const ALERT = openDue(S.ending, "termination_alert");
const LATE = "ready_at = '2024-04-10T10:00:00Z'";
const JUST_NOW = "done_at = '2024-04-10T11:30:00Z'";

const change = (where: string, columns: string): string => `update due_instants set ${columns} where ${where}`;
const endAt = (subscriptionId: string, at: string): string =>
  `update subscriptions set ending_at = '${at}' where id = '${subscriptionId}'`;
const waitingMessage = (columns = ""): string =>
  `update outbox set dispatched_at = null${columns} where object_id = '${S.plain}'`;

/** Upgraded on the day it began, so that the successor pays for this day. */
const upgradedAtOnce = `
  update subscriptions set started_at = '${BEGUN}', start_day = '2024-03-20' where id = '${S.upgraded}';
  update subscriptions set anchor = '2024-03-20', first_started_at = '${BEGUN}', subscription_at = '${BEGUN}'
    where id in ('${S.upgraded}', '${S.upgrade}');
  delete from subscription_periods where ${of(S.upgraded, "first_day = '2024-02-01'")};
  delete from bills where ${billOf(S.upgraded, "periodic")};
  delete from due_instants where ${doneDue(S.upgraded, "period_end")};
  ${moveWindow(billOf(S.upgraded, "terminating"), "charges_from", BEGUN)};
  ${dropWindow(billOf(S.upgraded, "terminating"), "fee")}`;

export const falseAlarms: readonly Plant[] = [
  ...advanceFalseAlarms,
  ...priceAlarms,
  ...invoiceFalseAlarms,
  ...mailFalseAlarms,
  ...parkedFalseAlarms,
  ...receivableFalseAlarms,
  ...spendingFalseAlarms,
  ...planFalseAlarms,
  ...valueFalseAlarms,
  ...webhookFalseAlarms,
  [
    "the end of a subscription was not to be billed",
    `${skipEnd(S.ended)}; delete from bills where ${billOf(S.ended, "terminating")}`,
  ],
  ["a change of plan is billed, whatever was agreed on an end", `${skipEnd(S.upgraded)}; ${skipEnd(S.downgraded)}`],
  ["work that failed is tried again later", change(ALERT, `${LATE}, attempts = 1`)],
  [
    "work waits for earlier work of its customer that fails",
    `${change(ALERT, "attempts = 7, ready_at = '2024-04-10T12:30:00Z'")}; ${change(openDue(S.ending, "ending"), LATE)}`,
  ],
  [
    "work waited for earlier work of its customer until just now",
    `${change(ALERT, LATE)}; ${change(doneDue(S.backdated, "period_end"), `${JUST_NOW}, ready_at = '2024-04-10T11:00:00Z'`)}`,
  ],
  [
    "workers catch up and are at earlier work",
    `${change(ALERT, LATE)}; ${change(doneDue(S.neighbor, "period_end"), JUST_NOW)};
     ${change(doneDue(S.plain, "period_end"), `${JUST_NOW}, ready_at = '2024-04-10T11:00:00Z', test_clock_id = null`)}`,
  ],
  ["work is late by less than an hour", change(ALERT, "ready_at = '2024-04-10T11:01:00Z'")],
  [
    "the advance of a clock fails",
    `update test_clocks set ready_at = '2024-04-10T10:00:00Z', attempts = 3 where id = '${ADVANCING}'`,
  ],
  ["a clock is about to arrive", `update test_clocks set now = advancing_to where id = '${ADVANCING}'`],
  ["a message failed and is tried again later", waitingMessage(", attempts = 1")],
  [
    "workers catch up and are at earlier messages",
    `${waitingMessage()}; update outbox set dispatched_at = '2024-04-10T11:30:00Z' where object_id = '${S.neighbor}';
     update outbox set dispatched_at = '2024-04-10T11:30:00Z', ready_at = '2024-04-10T11:00:00Z' where object_id = '${S.again}'`,
  ],
  ["a message waits for less than an hour", waitingMessage(", ready_at = '2024-04-10T11:01:00Z'")],
  [
    "a fee that was paid after the end is invoiced with the next period",
    `${paidFee({})};
     ${addDue(S.ended, "late_fees_regrouping", { id: id(901), customer_id: GONE, test_clock_id: null, rank: 67 })}`,
  ],
  [
    "a deleted customer has its wallet until its last invoice is made",
    `${copyOfWallet({ customer_id: GONE })};
     ${addDue(GONE, "customer_end", { id: id(901), customer_id: GONE, test_clock_id: null, rank: 85 })}`,
  ],
  ["customers without a time zone use that of their organization", "update customers set timezone = null"],
  ["an upgrade on the first day leaves no fee", upgradedAtOnce],
  ["a trial ends with a period, which bills the fee", trialEndsWithPeriod],
  [
    "an end on the boundary of a period leaves nothing else to do",
    `${endAt(S.plain, MAY)}; ${change(openDue(S.plain, "period_end"), "kind = 'ending', rank = 30")}`,
  ],
  [
    "an end where a downgrade was to take over leaves nothing else to do",
    `${endAt(S.leaving, MAY)}; ${change(openDue(S.leaving, "downgrade"), "kind = 'ending', rank = 30")}`,
  ],
  [
    "an end with the trial leaves nothing else to do",
    `${endAt(S.inTrial, "2024-05-05T00:00:00Z")}; ${change(openDue(S.inTrial, "trial_end"), "kind = 'ending', rank = 30")}`,
  ],
  [
    "a far end has two alerts",
    `${endAt(S.ending, "2024-07-01T00:00:00Z")}; ${change(openDue(S.ending, "ending"), "due_at = '2024-07-01T00:00:00Z'")};
     ${copy("due_instants", ALERT, { id: NEW, kind: "period_end", rank: 50, due_at: MAY })};
     ${change(ALERT, "due_at = '2024-06-16T00:00:00Z'")};
     ${copy("due_instants", ALERT, { id: id(901), due_at: "2024-05-17T00:00:00Z" })}`,
  ],
  [
    "a subscription started at the instant of its activation",
    addDue(S.plain, "activation", { due_at: "2024-01-15T09:00:00Z", done_at: "2024-01-15T09:00:00Z" }),
  ],
];
