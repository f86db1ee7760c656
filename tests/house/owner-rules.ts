// Rules on capabilities: their order, and the owner of each table.

import { dirname, normalize } from "node:path";
import type { Rule, SourceFile, Violation } from "./rule.ts";
import { isTest, withoutComments } from "./source-text.ts";

const SERVER = "packages/server/src";
const MODULES = `${SERVER}/modules`;
const SCHEMA = `${SERVER}/platform/postgres/schema.ts`;

/** From bottom to top: each may import the ones before it and read their tables. */
const ORDER = [
  "http",
  "jobs",
  "catalogue",
  "accounts",
  "webhooks",
  "customers",
  "subscriptions",
  "events",
  "usage",
  "ledger",
  "invoicing",
  "credit",
  "documents",
  "proof",
  "search",
  "compatibility",
  "samples",
] as const;
type Owner = (typeof ORDER)[number];

const TABLES: Partial<Record<Owner, readonly string[]>> = {
  http: ["idempotency_keys"],
  jobs: ["due_instants", "outbox", "message_heads", "worker_heartbeats"],
  catalogue: [
    ...["billable_metrics", "plans", "plan_versions", "plan_version_clocks", "charges", "charge_filters"],
    ...["minimum_commitments", "add_ons", "coupons", "coupon_plans", "coupon_billable_metrics", "taxes"],
    ...["plan_taxes", "charge_taxes", "commitment_taxes", "add_on_taxes"],
  ],
  accounts: [
    ...["organizations", "api_keys", "counters", "data_keys", "master_keys", "users", "sessions", "setup_links"],
    ...["sign_in_attempts", "members", "invitations", "roles", "sign_in_rules", "totp_factors"],
    ...["recovery_codes", "passkeys", "passkey_challenges", "identity_providers", "identities", "mail_domains"],
    "provider_sign_ins",
    ...["security_counts", "activities", "activity_seals", "activity_heads", "definition_versions", "state_changes"],
  ],
  webhooks: ["webhook_endpoints", "webhook_keys", "webhook_deliveries", "webhook_attempts"],
  customers: ["customers", "customer_metadata", "customer_taxes", "test_clocks"],
  subscriptions: ["subscriptions", "subscription_periods", "bills"],
  events: [
    ...["events", "event_keys", "event_heads", "event_counts", "event_checks"],
    ...["advance_cursors", "wallet_cursors"],
  ],
  usage: ["relay_cursors", "relay_lanes", "relay_ranges", "rollup_derivations"],
  ledger: ["ledger_entries", "receivable_openings"],
  invoicing: [
    ...["invoices", "invoice_bills", "invoice_taxes", "invoice_metadata", "invoice_credits", "invoice_write_offs"],
    ...["fees", "fee_taxes", "advance_metrics", "advance_tallies", "advance_values", "parked_items"],
    ...["second_opinions", "counted_windows", "kept_windows", "invoice_sums"],
  ],
  credit: [
    ...["applied_coupons", "credit_notes", "credit_note_items", "credit_note_taxes"],
    ...["wallets", "wallet_rules", "wallet_transactions", "wallet_lot_movements", "wallet_refreshes"],
  ],
  documents: ["documents", "document_link_keys", "logos", "mails", "mail_attempts", "notice_items"],
  samples: ["sample_data"],
};

const ownerOfTable = new Map(
  Object.entries(TABLES).flatMap(([owner, tables]) => tables.map((table) => [table, owner as Owner] as const)),
);

/** Reads upward and writes nothing: counts that objects show, and checks before a change. */
const LOOK_UPS = new RegExp(`^${MODULES}/[^/]+/look-ups/store\\.ts$`);
/** The rows of customers are the locks of all work on them, including due work. */
const LOCKS_OF_CUSTOMERS = `${SERVER}/jobs/due-store.ts`;

const ownerOfFile = ({ path }: SourceFile): string | undefined =>
  path.match(new RegExp(`^${MODULES}/([^/]+)/`))?.[1] ?? path.match(new RegExp(`^${SERVER}/(http|jobs)/`))?.[1];

const isAbove = (one: string, other: string): boolean => ORDER.indexOf(one as Owner) > ORDER.indexOf(other as Owner);

const isService = (file: SourceFile): boolean =>
  ownerOfFile(file) !== undefined && /\.ts$/.test(file.path) && !isTest(file) && !/\.contract\.ts$/.test(file.path);

const lineOf = (text: string, index: number): number => text.slice(0, index).split("\n").length;

const importsGoDown: Rule = {
  name: "imports-go-down",
  reason:
    "A capability imports only those below it in the order of owner-rules.ts, so that there is no cycle. " +
    "Where main composes the service, it passes in what must reach up.",
  check: (files) =>
    files.filter((file) => isService(file) && file.path.startsWith(`${MODULES}/`)).flatMap(importsThatGoUp),
};

function importsThatGoUp(file: SourceFile): Violation[] {
  const own = ownerOfFile(file) ?? "";
  if (!ORDER.includes(own as Owner))
    return [{ path: file.path, line: 1, found: `${own} is not in the order of owner-rules.ts` }];
  return [...file.text.matchAll(/\bfrom "(\.[^"]+)"/g)].flatMap(({ 1: specifier = "", index }) => {
    const target = ownerOfFile({ path: normalize(`${dirname(file.path)}/${specifier}`), text: "" });
    if (target === undefined || target === own || isAbove(own, target)) return [];
    return [{ path: file.path, line: lineOf(file.text, index), found: `${own} imports ${target}` }];
  });
}

const NAMES = [...ownerOfTable.keys()].sort((one, other) => other.length - one.length).join("|");
const WRITES = new RegExp(
  String.raw`\b(?:insertInto|updateTable|deleteFrom|mergeInto)\(\s*"(${NAMES})\b|` +
    String.raw`\b(?:insert into|update|delete from|merge into|truncate)\s+(?:only\s+)?(${NAMES})\b`,
  "g",
);
const READS = new RegExp(
  String.raw`\b(?:selectFrom|innerJoin|leftJoin|rightJoin|fullJoin|crossJoin|from|using)\(\s*\[?\s*"(${NAMES})\b|` +
    String.raw`\b(?<!delete )(?:from|join|using)\s+(?:only\s+)?(${NAMES})\b|,\s*(${NAMES})\s+as\s`,
  "g",
);

const tablesHaveOwners: Rule = {
  name: "tables-have-owners",
  reason:
    "Each table has one owner, listed in owner-rules.ts: only the owner writes it, and only those above the owner read it. " +
    "What must read upward is in look-ups/store.ts of its capability, and writes nothing.",
  check: (files) => [
    ...files.filter(({ path }) => path === SCHEMA).flatMap(tablesWithoutOwner),
    ...files.filter((file) => isService(file) && /store\.ts$/.test(file.path)).flatMap(foreignTables),
  ],
};

function tablesWithoutOwner({ path, text }: SourceFile): Violation[] {
  const start = text.indexOf("export interface DB {");
  const tables = [...text.slice(start).matchAll(/^ {2}"?([a-z_]+)"?: /gm)].map(({ 1: table = "" }) => table);
  const without = tables.filter((table) => !ownerOfTable.has(table)).map((table) => `${table} has no owner`);
  const gone = [...ownerOfTable.keys()].filter((table) => !tables.includes(table)).map((table) => `${table} is gone`);
  return [...without, ...gone].map((found) => ({ path, line: 1, found }));
}

function foreignTables(file: SourceFile): Violation[] {
  const own = ownerOfFile(file) ?? "";
  const text = withoutComments(file);
  const isLookUp = LOOK_UPS.test(file.path);
  const used = (pattern: RegExp) =>
    [...text.matchAll(pattern)].map((match) => ({
      table: match.slice(1).find((name) => name !== undefined) ?? "",
      line: lineOf(text, match.index),
    }));
  const written = used(WRITES).filter(({ table }) => isLookUp || ownerOfTable.get(table) !== own);
  const read = used(READS).filter(({ table }) => {
    const owner = ownerOfTable.get(table) ?? own;
    if (isLookUp || owner === own || isAbove(own, owner)) return false;
    return !(file.path === LOCKS_OF_CUSTOMERS && table === "customers");
  });
  return [
    ...written.map(({ table, line }) => ({ path: file.path, line, found: `${own} writes ${table}` })),
    ...read.map(({ table, line }) => ({ path: file.path, line, found: `${own} reads ${table}` })),
  ];
}

const routesTakeWhatTheyUse: Rule = {
  name: "routes-take-what-they-use",
  reason: "Routes receive what they use, by name. With the whole platform, everything would depend on everything.",
  check: (files) =>
    files
      .filter(({ path }) => path.startsWith(`${SERVER}/main/`))
      .flatMap((file) =>
        [...withoutComments(file).matchAll(/\b\w+(?:Routes|Page)\(\s*(?:platform\b|\{\s*\.\.\.platform\b)/g)].map(
          (match) => ({
            path: file.path,
            line: lineOf(file.text, match.index),
            found: match[0],
          }),
        ),
      )
      .filter(({ found }) => !found.startsWith("compose")),
};

export const ownerRules: readonly Rule[] = [importsGoDown, tablesHaveOwners, routesTakeWhatTheyUse];
