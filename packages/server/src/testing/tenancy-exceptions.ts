/** Which tables are no ordinary tables of a tenant, each with its reason, and what the dispatcher may see. */

/** Tables that are not the data of one organization. Each exception needs its reason here. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  organizations: "its id is the organization, and its policy compares that",
  worker_heartbeats: "which processes are alive, over all organizations; holds nothing of a tenant",
  master_keys: "which keys the operator has used, without the keys; holds nothing of a tenant",
  users: "a person may belong to several organizations, or to none yet",
  sessions: "a browser has a cookie and no organization",
  setup_links: "who opens a link belongs to no organization yet",
  sign_in_attempts: "counted before anyone knows who signs in; holds only digests",
  totp_factors: "a person belongs to no organization",
  recovery_codes: "a person belongs to no organization",
  passkeys: "a person belongs to no organization",
  passkey_challenges: "who answers may be unknown yet",
  mail_domains: "one domain has one organization; an organization reads its own, and only the operator writes",
  provider_sign_ins: "the browser that comes back has a state and no organization",
  relay_lanes: "how far each queue is that copies events of many organizations; holds nothing of a tenant",
};

/** Tables in which the service cannot change or delete anything, not even its own rows. */
export const ONLY_ADDED_TO: Readonly<Record<string, string>> = {
  ledger_entries: "history is never overwritten",
  invoice_write_offs: "a write-off is never taken back",
  wallet_lot_movements: "movements of a lot are history",
  activities: "the trail says what was done",
  activity_seals: "they prove that the trail is complete",
  activity_heads: "they prove where the trail ends",
  definition_versions: "definitions as they were",
  state_changes: "states as they were",
  security_counts: "a caller does not change what was counted",
};

/** Tables in which a request inserts no whole row: workers do, or the request inserts some columns only. */
export const NOT_FILLED_BY_REQUESTS = ["activity_heads", "activity_seals", "security_counts"];
/** Tables that an organization reads and only the operator writes. */
export const ONLY_READ: Readonly<Record<string, string>> = {
  mail_domains: "an organization could claim any domain",
};

/** Tables of which the owner sees every row, so that `find_ids` can use indexes of parts of a text. It is the owner of no process that serves. */
export const SEARCHED_BY_OWNER = ["customers", "invoices", "credit_notes", "subscriptions"];

/** What the dispatcher may see over all organizations, because it learns the organization only from the row. */
export const SEEN_BY_DISPATCHER: Readonly<Record<string, string>> = {
  organizations: "the command line lists them",
  api_keys: "a request has a key and no organization",
  idempotency_keys: "old ones are deleted by age",
  users: "who signs in has no organization yet",
  sessions: "a request has a cookie and no organization",
  setup_links: "who opens a link has no organization yet",
  sign_in_attempts: "its own",
  members: "which organizations a session reaches",
  roles: "what a session may do in an organization",
  sign_in_rules: "whether an organization lets a session in",
  totp_factors: "who signs in has no organization yet",
  recovery_codes: "who signs in has no organization yet",
  passkeys: "who signs in has no organization yet",
  passkey_challenges: "who signs in has no organization yet",
  mail_domains: "who signs in has a mail address and no organization",
  provider_sign_ins: "the browser that comes back has a state and no organization",
  identity_providers: "which providers a session may have come through, without their secrets",
  invitations: "who accepts has a token and no organization",
  due_instants: "due work of all organizations is claimed",
  outbox: "messages of all organizations are claimed",
  event_checks: "which hours were checked",
  event_counts: "in which hours events were received",
  advance_cursors: "how far the events of each organization were processed",
  event_heads: "which organization has unprocessed events",
  wallet_cursors: "how far the events of each organization were processed for ongoing balances",
  wallet_refreshes: "which ongoing balances wait, over all organizations",
  webhook_endpoints: "which endpoint is next",
  webhook_keys: "which organizations have a signing key that is not sealed, without the key",
  data_keys: "which organizations have keys to seal again, without the keys",
  master_keys: "its own",
  webhook_deliveries: "deliveries of all organizations are claimed",
  mails: "emails of all organizations are claimed",
  notice_items: "which organization has something to mail to its owners",
  parked_items: "how many items wait for an operator, for /ready",
  second_opinions: "how many invoices are held, for /ready",
  test_clocks: "an advance continues after its process is gone",
  worker_heartbeats: "its own",
  relay_lanes: "its own",
  receivable_openings: "which organizations may have documents without a receivable",
  relay_cursors: "which organizations have events that are not in ClickHouse yet",
  relay_ranges: "the open batches of all organizations",
  activities: "differences are erased, and old rows deleted by age",
  activity_seals: "activities of all organizations are sealed",
  activity_heads: "how far the trail of each organization is sealed",
  security_counts: "a process counts for all organizations, before it knows one",
  rollup_derivations: "the derivations of all organizations",
};
