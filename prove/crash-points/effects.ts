/** What a statement does that lasts, in a few words: the name under which a crash can be asked for. */

/** What running work belongs to. */
export type Stage = "events" | "billing" | "credits" | "outbox" | "webhooks" | "relay" | "jobs";

export const STAGES: readonly Stage[] = ["events", "billing", "credits", "outbox", "webhooks", "relay", "jobs"];

/** Whatever work writes to them, it is about credits. */
const TABLES_OF_CREDITS: ReadonlySet<string> = new Set([
  "applied_coupons",
  "credit_note_items",
  "credit_note_taxes",
  "credit_notes",
  "invoice_credits",
  "ledger_entries",
  "wallet_refreshes",
  "wallet_rules",
  "wallet_transactions",
  "wallets",
]);

const WRITES =
  /\b(insert into|delete from|(?<!do )(?<!for )(?<!key )update)\s+(?:only\s+)?([\w.]+)(?=[\s(]|$)(?!\s+(?:locked|of|nowait)\b)/g;
/** Functions that write, by the names that callers use. */
const CALLS = /\b(ingest_events|count_events|make_event_partitions|graphile_worker\.\w+)\s*\(/g;

const VERBS: Readonly<Record<string, string>> = { "insert into": "insert", "delete from": "delete", update: "update" };

export type Effect = { verb: string; on: string };

/** Undefined: it changes nothing, or nothing that stays. */
export function effectOf(statement: string): Effect | undefined {
  const text = statement.replaceAll('"', "").toLowerCase();
  const calls = Array.from(text.matchAll(CALLS), ([, name = ""]) => ({ verb: "call", on: unqualified(name) }));
  const writes = Array.from(text.matchAll(WRITES), ([, verb = "", table = ""]) => ({
    verb: VERBS[verb] ?? verb,
    on: unqualified(table),
  }));
  const [first, ...rest] = [...calls, ...writes];
  if (!first) return undefined;
  return { verb: first.verb, on: [...new Set([first.on, ...rest.map(({ on }) => on)])].join(" and ") };
}

const unqualified = (name: string): string => name.replace(/^(public|graphile_worker)\./, "").replace(/^_private_/, "");

export const stageOf = (work: Stage, { on }: Effect): Stage =>
  on.split(" and ").some((table) => TABLES_OF_CREDITS.has(table)) ? "credits" : work;
