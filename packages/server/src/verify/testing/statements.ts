/** The statements that plants use to change the clean database. */
import { DRAFT, id, S } from "./names.ts";

/** The fault in words, and the statements that cause it. */
export type Plant = readonly [what: string, statements: string];

/** The id of the row that a plant adds. */
export const NEW = id(900);

export const of = (subscriptionId: string, more = "true"): string =>
  `subscription_id = '${subscriptionId}' and ${more}`;

export const billOf = (subscriptionId: string, reason: string, at?: string): string =>
  of(subscriptionId, `reason = '${reason}'${at === undefined ? "" : ` and occurred_at = '${at}'`}`);

export const openDue = (subjectId: string, kind: string): string =>
  `subject_id = '${subjectId}' and kind = '${kind}' and done_at is null`;

export const doneDue = (subjectId: string, kind: string): string =>
  `subject_id = '${subjectId}' and kind = '${kind}' and done_at is not null`;

/** Changes a window of a bill, both in its column and in its JSON windows. */
export function moveWindow(where: string, column: string, to: string): string {
  const path = column.replace("_", ",");
  return `update bills set ${column} = '${to}', windows = jsonb_set(windows, '{${path}}', '"${to}"') where ${where}`;
}

export const dropWindow = (where: string, window: "fee" | "charges"): string =>
  `update bills set ${window}_from = null, ${window}_to = null, windows = windows || '{"${window}": null}' where ${where}`;

/** It was agreed that the end of a subscription is not billed. */
export const skipEnd = (subscriptionId: string): string =>
  `update subscriptions set on_termination_invoice = 'skip' where id = '${subscriptionId}'`;

/** A copy of a row with some columns changed. */
export const copy = (table: string, where: string, changes: object): string =>
  `insert into ${table} select (jsonb_populate_record(t, '${JSON.stringify(changes)}')).* from ${table} t where ${where}`;

/** A period of May. */
export function addPeriod(subscriptionId: string, kind: string): string {
  const days = { first_day: "2024-05-01", last_day: "2024-05-31" };
  const span = { starts_at: "2024-05-01T00:00:00Z", ends_at: "2024-06-01T00:00:00Z" };
  const april = of(S.plain, "kind = 'fee' and starts_at = '2024-04-01T00:00:00Z'");
  return copy("subscription_periods", april, { subscription_id: subscriptionId, kind, ...span, ...days });
}

/** A bill without windows, on an invoice. */
export function addBill(subscriptionId: string, changes: object): string {
  const windows = { fee_from: null, fee_to: null, charges_from: null, charges_to: null, windows: {} };
  const changed = { id: NEW, subscription_id: subscriptionId, ...windows, ...changes };
  const link = copy("invoice_bills", `invoice_id = '${DRAFT}'`, { bill_id: NEW, subscription_id: subscriptionId });
  return `${copy("bills", billOf(S.plain, "periodic", "2024-04-01T00:00:00Z"), changed)}; ${link}`;
}

export const addDue = (subjectId: string, kind: string, changes: object): string =>
  copy("due_instants", openDue(S.plain, "period_end"), { id: NEW, subject_id: subjectId, kind, ...changes });

export const addMessage = (objectId: string, type: string): string =>
  copy("outbox", `object_id = '${S.plain}'`, { id: NEW, object_id: objectId, webhook_type: type, change_key: "again" });

/** The trial continues until April 1, so its end makes no bill of its own. */
export const trialEndsWithPeriod = `
  update subscriptions set trial_ends_at = '2024-04-01T00:00:00Z', trial_ended_at = '2024-04-01T00:00:00Z'
    where id = '${S.trialOver}';
  update due_instants set due_at = '2024-04-01T00:00:00Z' where ${doneDue(S.trialOver, "trial_end")};
  delete from bills where ${billOf(S.trialOver, "trial_end")}`;
