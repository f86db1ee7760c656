/** What two runs need not have in common, and why. Everything else must be the same. */

export const TABLES_LEFT_OUT: ReadonlySet<string> = new Set([
  // The log of attempts: a killed attempt is repeated.
  "webhook_attempts",
  // Who works just now.
  "worker_heartbeats",
  // Which worker has the queue of the relay, and since when, by the real time.
  "relay_lanes",
  // Counted in memory, and stored now and then: a killed process loses some.
  "security_counts",
]);

export const COLUMNS_LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  // How often events were sent: a client that was not answered sends them again.
  event_counts: ["received", "duplicate"],
  // The digest of a request, which may name a record by its id.
  idempotency_keys: ["request_hash"],
  // When an attempt was made or is made next, and how many there were.
  webhook_deliveries: ["ready_at", "created_at", "settled_at", "attempts"],
  webhook_endpoints: ["claimed_at"],
  // By the real time.
  relay_cursors: ["taken_at"],
  // Random salts, and what is computed from them.
  activities: ["salt", "difference_digest", "digest"],
  activity_seals: ["chain", "row_digest"],
  activity_heads: ["chain", "pruned_chain", "mac"],
};
