/** What must be true of every answer. Each oracle has a name, and says what it found in words. */
import type { Change } from "./changes.ts";
import type { Requested } from "./requests.ts";
import { idsIn, type Tenant } from "./world.ts";

export type Answer = { status: number; text: string; body: unknown; isJson: boolean };

export type Oracle =
  | "serverErrors"
  | "undeclaredStatuses"
  | "schemaBroken"
  | "wrongAccepted"
  | "fieldNotNamed"
  | "changedByRefusal"
  | "changedByReading"
  | "otherForm"
  | "otherFound"
  | "otherShown"
  | "otherChanged"
  | "repeatedOtherwise";

export type Finding = { oracle: Oracle; what: string };

export type Observed = {
  requested: Requested;
  answer: Answer;
  tenant: Tenant;
  other: Tenant;
  changes: readonly Change[];
};

export function lookAt(observed: Observed): Finding[] {
  return [checkStatus, checkForm, checkWrong, checkOther, checkChanges].flatMap((check) => check(observed));
}

const found = (oracle: Oracle, what: string): Finding[] => [{ oracle, what }];

/** Never 5xx; only a status that the description declares, in the schema that it declares for it. */
function checkStatus({ requested, answer }: Observed): Finding[] {
  if (answer.status >= 500) return found("serverErrors", `answered ${answer.status}`);
  const faults = requested.operation.faultsOf(answer.status, answer.body);
  if (faults === undefined) return found("undeclaredStatuses", `${answer.status} is not declared`);
  return faults.length === 0 ? [] : found("schemaBroken", faults.slice(0, 5).join("; "));
}

const ERRORS = /^([A-Z][A-Za-z]+( [A-Z][A-Za-z]+)*|BadRequest: param is missing or the value is empty: \w+)$/;
const CODE = /^[a-z][a-z0-9_]*$/;

/** The house's form, and nothing in it that reveals SQL, the stack or files. */
function checkForm({ answer }: Observed): Finding[] {
  if (answer.status < 400 || answer.status >= 500) return [];
  if (!answer.isJson) return found("otherForm", "is no JSON");
  const { status, error, code, error_details: details = {}, ...rest } = (answer.body ?? {}) as Record<string, unknown>;
  const { message, request_id, docs_url, errors = [], ...unknown } = rest;
  const entries = errors as { path: unknown; code: unknown; message: unknown }[];
  const isHouseForm =
    status === answer.status &&
    ERRORS.test(String(error)) &&
    (code === undefined || CODE.test(String(code))) &&
    Object.keys(unknown).length === 0 &&
    [message, request_id, docs_url].every(isSentence) &&
    entries.every((entry) => isSentence(entry.path) && CODE.test(String(entry.code)) && isSentence(entry.message)) &&
    codesIn(details).every((each) => CODE.test(each));
  return isHouseForm ? [] : found("otherForm", "has another form than errors have");
}

const isSentence = (value: unknown): boolean => typeof value === "string" && value.length > 0;

/** Of fields, or of fields of items. */
const codesIn = (details: unknown): string[] =>
  typeof details === "object" && details !== null
    ? Object.values(details).flatMap((each) => (Array.isArray(each) ? each.map(String) : codesIn(each)))
    : [String(details)];

/** Members that an answer names otherwise, by the interface: of a wallet the customer is said to be unknown. */
const NAMED_OTHERWISE: Readonly<Record<string, string>> = { "wallet.external_customer_id": "customer" };

/** What the description does not allow is refused, and 422 names the member, or one around it or inside of it. */
function checkWrong({ requested: { wrongAt, wrongWithin }, answer }: Observed): Finding[] {
  if (!wrongAt) return [];
  if (answer.status < 300) return found("wrongAccepted", wrongAt.join("."));
  if (answer.status !== 422) return [];
  const { error_details: details } = answer.body as { error_details?: unknown };
  const otherwise = NAMED_OTHERWISE[wrongAt.join(".")];
  return namesIn(details).some((name) => wrongAt.includes(name) || name === otherwise || wrongWithin?.has(name))
    ? []
    : found("fieldNotNamed", `${wrongAt.join(".")}, but ${namesIn(details).join(", ")}`);
}

const namesIn = (details: unknown): string[] =>
  typeof details === "object" && details !== null
    ? Object.entries(details).flatMap(([name, each]) => (Array.isArray(each) ? [name] : [name, ...namesIn(each)]))
    : [];

/** Records of the other organization are not there, and no byte of theirs is in any answer. */
function checkOther({ requested: queried, answer, tenant, other }: Observed): Finding[] {
  const wasFound = queried.isOfOther === true && answer.status < 300;
  const ids = idsIn(answer.text).filter(
    (id) => other.published.has(id) && !tenant.sent.has(id) && !tenant.published.has(id),
  );
  const secrets = [other.secret, other.key, other.organizationId].filter((each) => answer.text.includes(each));
  return [
    ...(wasFound ? found("otherFound", "the record of another organization was found") : []),
    ...(ids.length + secrets.length > 0 ? found("otherShown", [...ids, ...secrets].join(", ")) : []),
  ];
}

/**
 * Kept beside a refusal on purpose: the answer under its key, when a key was last used, and how far events were taken: a
 * change first takes those that were accepted before it, whatever then becomes of it.
 */
const MAY_CHANGE = new Set(["idempotency_keys", "api_keys", "advance_cursors"]);
/** Made when a reading first needs it, be it to tell that a cursor is forged: whoever never asks needs no keys. */
const MADE_BY_READING = new Set(["webhook_keys", "document_link_keys", "data_keys"]);
/** Counts of events are written a moment after the answer, for all organizations together: no request is the cause of when. */
const IN_BACKGROUND = new Set(["event_counts"]);

function checkChanges({ requested, answer, tenant, changes: all }: Observed): Finding[] {
  const changes = all.filter(({ table }) => !IN_BACKGROUND.has(table));
  const isReading = requested.operation.method === "GET";
  const mayChange = isReading ? MAY_CHANGE.union(MADE_BY_READING) : MAY_CHANGE;
  const own = changes.filter(
    (change) => change.organizationId === tenant.organizationId && !mayChange.has(change.table),
  );
  const others = changes.filter((change) => change.organizationId !== tenant.organizationId);
  const tables = (list: readonly Change[]) => list.map(({ table }) => table).join(", ");
  return [
    ...(others.length > 0 ? found("otherChanged", tables(others)) : []),
    ...(answer.status >= 400 && own.length > 0 ? found("changedByRefusal", tables(own)) : []),
    ...(answer.status < 400 && isReading && own.length > 0 ? found("changedByReading", tables(own)) : []),
  ];
}

/** A refusal names its own request. */
const withoutRequestId = (text: string): string => text.replace(/"request_id":"[^"]*"/, "");

/** The same request under the same key: the same answer, and nothing happens. */
export function compareRepeat(first: Answer, again: Answer, changes: readonly Change[]): Finding[] {
  if (first.status >= 500 || again.status >= 500) return [];
  if (first.status !== again.status || withoutRequestId(first.text) !== withoutRequestId(again.text))
    return found(
      "repeatedOtherwise",
      `first ${first.status} ${first.text.slice(0, 300)}, then ${again.status} ${again.text.slice(0, 300)}`,
    );
  const changed = changes.filter(({ table }) => !MAY_CHANGE.has(table) && !IN_BACKGROUND.has(table));
  return changed.length > 0
    ? found("repeatedOtherwise", `changed ${changed.map(({ table }) => table).join(", ")}`)
    : [];
}
