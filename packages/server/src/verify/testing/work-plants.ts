/** Plants of the invariants about work and messages. */
import { ADVANCING, IDLE, id, PATIENT, REAL, S } from "./names.ts";
import { addDue, addMessage, billOf, copy, doneDue, NEW, openDue, type Plant } from "./statements.ts";

const DONE = { done_at: "2024-03-01T00:00:00Z", due_at: "2024-03-01T00:00:00Z" };
const LATER = "2024-03-12T00:00:00Z";
const change = (where: string, columns: string): string => `update due_instants set ${columns} where ${where}`;
const forget = (where: string): string => `delete from due_instants where ${where}`;

export const workPlants: Readonly<Record<string, readonly Plant[]>> = {
  "due-work-is-scheduled": [
    ["the end of a period is not due", forget(openDue(S.plain, "period_end"))],
    ["an activation is not due", forget(openDue(S.upcoming, "activation"))],
    ["an agreed end is not due", forget(openDue(S.ending, "ending"))],
    ["a downgrade is not due", forget(openDue(S.leaving, "downgrade"))],
    ["the end of a trial is not due", forget(openDue(S.inTrial, "trial_end"))],
    ["a period end is due as well as the downgrade that bills it", addDue(S.leaving, "period_end", {})],
    [
      "a period ends after the subscription",
      addDue(S.ending, "period_end", { customer_id: REAL, test_clock_id: null }),
    ],
    ["something is due after the end", addDue(S.endedOnBoundary, "period_end", {})],
    ["a canceled subscription has due work", addDue(S.canceled, "activation", { due_at: "2024-06-01T00:00:00Z" })],
    ["work belongs to another customer", change(openDue(S.plain, "period_end"), `customer_id = '${REAL}'`)],
    ["work is on the real clock", change(openDue(S.plain, "period_end"), "test_clock_id = null")],
    ["work is out of order", change(openDue(S.plain, "period_end"), "rank = 51")],
  ],
  "alerts-precede-ends": [
    [
      "three alerts",
      `${copy("due_instants", openDue(S.ending, "termination_alert"), { id: NEW, due_at: "2024-04-12T00:00:00Z" })};
       ${copy("due_instants", `id = '${NEW}'`, { id: id(901), due_at: "2024-04-14T00:00:00Z" })}`,
    ],
    ["an alert without an end", addDue(S.plain, "termination_alert", { rank: 100 })],
    ["an alert on another day", change(openDue(S.ending, "termination_alert"), "due_at = '2024-04-20T00:00:00Z'")],
    ["an alert of another customer", change(openDue(S.ending, "termination_alert"), `customer_id = '${PATIENT}'`)],
  ],
  "due-work-took-effect": [
    ["an activation without a start", addDue(S.upcoming, "activation", { ...DONE, rank: 10 })],
    ["an ending without an end", addDue(S.plain, "ending", DONE)],
    ["a downgrade of an upgraded subscription", addDue(S.upgraded, "downgrade", DONE)],
    ["a downgrade that was never due", forget(doneDue(S.downgraded, "downgrade"))],
    [
      "a trial that ended at another instant",
      `update subscriptions set trial_ends_at = '${LATER}', trial_ended_at = '${LATER}' where id = '${S.trialOver}';
       update bills set occurred_at = '${LATER}', ready_at = '${LATER}' where ${billOf(S.trialOver, "trial_end")}`,
    ],
  ],
  "changes-are-told": [
    ["a start is not published", `delete from outbox where object_id = '${S.plain}'`],
    ["a start is published twice", addMessage(S.plain, "subscription.started")],
    ["an end is published that did not happen", addMessage(S.plain, "subscription.terminated")],
    ["the end of a trial is not published", `delete from outbox where webhook_type = 'subscription.trial_ended'`],
    ["an alert is published that was not due", addMessage(S.ending, "subscription.termination_alert")],
    ["a message has no object", addMessage(IDLE, "subscription.started")],
  ],
  "work-does-not-wait": [
    ["work has waited", change(openDue(S.ending, "termination_alert"), "ready_at = '2024-04-10T10:59:00Z'")],
    [
      "work was skipped",
      `${change(openDue(S.ending, "termination_alert"), "ready_at = '2024-04-10T10:59:00Z'")};
       ${change(doneDue(S.plain, "period_end"), "test_clock_id = null, done_at = '2024-04-10T11:30:00Z', ready_at = '2024-04-10T11:00:00Z'")}`,
    ],
    ["an idle clock skipped work", `update test_clocks set now = '2024-05-01T00:00:00Z' where id = '${IDLE}'`],
    [
      "an advancing clock does not move",
      `update test_clocks set ready_at = '2024-04-10T10:59:00Z' where id = '${ADVANCING}'`,
    ],
  ],
  "cursors-do-not-stand-still": [
    ["events wait for the cursor of wallets", "update wallet_cursors set positions = '{2, 1}'"],
  ],
  "messages-do-not-wait": [
    [
      "a message was skipped",
      `update outbox set dispatched_at = null where object_id = '${S.plain}';
       update outbox set ready_at = '2024-04-10T11:00:00Z', dispatched_at = '2024-04-10T11:30:00Z' where object_id = '${S.again}'`,
    ],
    ["a message has waited", `update outbox set dispatched_at = null where object_id = '${S.plain}'`],
  ],
};
