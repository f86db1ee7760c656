/** Plants of the invariants about bills. */
import { CHARGE, REAL, S } from "./names.ts";
import {
  addBill,
  billOf,
  doneDue,
  dropWindow,
  moveWindow,
  type Plant,
  skipEnd,
  trialEndsWithPeriod,
} from "./statements.ts";

const APRIL = "2024-04-01T00:00:00Z";
const MARCH = "2024-03-01T00:00:00Z";
/** Later than April 1. */
const LATER = { occurred_at: "2024-04-01T00:00:01Z", ready_at: "2024-04-01T00:00:01Z" };
const usage = JSON.stringify({ charges: { from: MARCH, to: APRIL } });
const change = (where: string, columns: string): string => `update bills set ${columns} where ${where}`;

/** The part of a charge that a bill covers when a plan change touches its metric. */
const addPart = (where: string, part: object): string =>
  change(where, `windows = windows || '${JSON.stringify({ parts: { [CHARGE]: part } })}'`);

export const billPlants: Readonly<Record<string, readonly Plant[]>> = {
  "usage-windows-tile": [
    ["an hour is in no window", moveWindow(billOf(S.plain, "periodic", MARCH), "charges_from", "2024-02-01T01:00:00Z")],
    [
      "the first hour is in no window",
      moveWindow(billOf(S.upgraded, "periodic"), "charges_from", "2024-02-10T11:00:00Z"),
    ],
    ["the last day is in no window", moveWindow(billOf(S.ended, "terminating"), "charges_to", "2024-03-09T00:00:00Z")],
    ["a life is in no window", dropWindow(billOf(S.ended, "terminating"), "charges")],
    [
      "a period before an end that is not billed is in no window",
      `${skipEnd(S.endedOnBoundary)}; delete from bills where ${billOf(S.endedOnBoundary, "terminating")};
       ${dropWindow(billOf(S.endedOnBoundary, "periodic", APRIL), "charges")}`,
    ],
  ],
  "days-of-recurring-metrics-are-billed-once": [
    [
      "the new plan bills days of a period that the old one billed whole",
      `${addPart(billOf(S.upgraded, "terminating"), { type: "whole" })}; ${addPart(billOf(S.upgrade, "starting"), {
        type: "days",
        firstDay: "2024-03-31",
        lastDay: "2024-12-31",
      })}`,
    ],
    [
      "both bill the day of the change",
      `${addPart(billOf(S.upgraded, "terminating"), {
        type: "days",
        firstDay: "2024-03-01",
        lastDay: "2024-03-20",
      })}; ${addPart(billOf(S.upgrade, "starting"), { type: "days", firstDay: "2024-03-20", lastDay: "2024-12-31" })}`,
    ],
  ],
  "fee-windows-join": [
    ["a day is in no window", moveWindow(billOf(S.plain, "periodic", MARCH), "fee_from", "2024-02-02T00:00:00Z")],
    ["a window goes beyond the end", moveWindow(billOf(S.ended, "terminating"), "fee_to", "2024-03-11T00:00:00Z")],
    ["a window ends inside a period", moveWindow(billOf(S.leaving, "starting"), "fee_to", "2024-04-30T00:00:00Z")],
  ],
  "fees-are-billed": [
    ["no fee in arrears at the end of a period", dropWindow(billOf(S.plain, "periodic", APRIL), "fee")],
    ["no fee in advance at its beginning", dropWindow(billOf(S.downgrade, "periodic", APRIL), "fee")],
    [
      "no fee in advance when the trial ended with the period before",
      `${trialEndsWithPeriod}; ${dropWindow(billOf(S.trialOver, "periodic"), "fee")}`,
    ],
    ["no fee in advance at the end of the trial", dropWindow(billOf(S.trialOver, "trial_end"), "fee")],
    ["no fee in arrears at the end", dropWindow(billOf(S.ended, "terminating"), "fee")],
    ["no fee in arrears at an upgrade", dropWindow(billOf(S.upgraded, "terminating"), "fee")],
  ],
  "periods-are-billed": [
    [
      "a bill has no due instant that made it",
      `delete from due_instants where ${doneDue(S.plain, "period_end")} and due_at = '${MARCH}'`,
    ],
    ["a bill has no period", addBill(S.plain, { occurred_at: "2024-02-15T00:00:00Z" })],
    [
      "a bill has another instant",
      change(
        billOf(S.plain, "periodic", MARCH),
        "occurred_at = '2024-03-01T00:00:01Z', ready_at = '2024-03-01T00:00:01Z'",
      ),
    ],
  ],
  "ends-are-billed": [
    ["an end that was not to be billed has a bill", skipEnd(S.endedOnBoundary)],
    ["an end has no bill", `delete from bills where ${billOf(S.endedOnBoundary, "terminating")}`],
    [
      "an active subscription has a terminating bill",
      addBill(S.plain, { reason: "terminating", invoice_key: S.plain }),
    ],
    [
      "a terminating bill has another instant",
      change(billOf(S.endedOnBoundary, "terminating"), "occurred_at = '2024-03-31T00:00:00Z'"),
    ],
    [
      "an end has two bills",
      `drop index bills_once;
       ${addBill(S.endedOnBoundary, { reason: "terminating", invoice_key: S.endedOnBoundary, ...LATER })}`,
    ],
  ],
  "bills-fit-their-subscription": [
    ["a bill is another customer's", change(billOf(S.plain, "periodic", MARCH), `customer_id = '${REAL}'`)],
    [
      "a periodic bill is alone on its invoice",
      change(billOf(S.plain, "periodic", MARCH), `invoice_key = '${S.plain}'`),
    ],
    [
      "the two bills of a plan change are on different invoices",
      change(billOf(S.upgrade, "starting"), `invoice_key = '${S.upgrade}'`),
    ],
    [
      "the start of a successor is billed later",
      change(billOf(S.upgrade, "starting"), `occurred_at = '${APRIL}', ready_at = '${APRIL}'`),
    ],
    [
      "the end of a trial is billed later",
      change(billOf(S.trialOver, "trial_end"), `occurred_at = '${APRIL}', ready_at = '${APRIL}'`),
    ],
    [
      "a bill is ready before its time",
      `alter table bills drop constraint bills_check4; ${change(billOf(S.plain, "periodic", MARCH), "ready_at = '2024-02-28T00:00:00Z'")}`,
    ],
    [
      "the bill of a start has usage",
      `${dropWindow(billOf(S.downgrade, "periodic"), "charges")};
       ${change(billOf(S.downgrade, "starting"), `charges_from = '${MARCH}', charges_to = '${APRIL}', windows = windows || '${usage}'`)}`,
    ],
    ["a pending subscription has a bill", addBill(S.upcoming, { reason: "starting", invoice_key: S.upcoming })],
  ],
  "bill-windows-agree": [
    [
      "another end of the fee",
      change(billOf(S.plain, "periodic", MARCH), `windows = jsonb_set(windows, '{fee,to}', '"2024-03-02T00:00:00Z"')`),
    ],
    [
      "a text that is not an instant",
      change(billOf(S.plain, "periodic", MARCH), `windows = jsonb_set(windows, '{charges,from}', '"soon"')`),
    ],
    ["no usage in the windows", change(billOf(S.plain, "periodic", MARCH), `windows = windows || '{"charges": null}'`)],
    [
      "a fee in the windows only",
      change(billOf(S.endedOnBoundary, "terminating"), `windows = jsonb_set(windows, '{fee}', '{"from": "soon"}')`),
    ],
  ],
};
