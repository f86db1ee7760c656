/**
 * Sizes of batches, and the times that distinguish a repeat from a duplicate. A token is trusted for TRUST_SECONDS after its first send.
 * The engine refuses inserts later than SEND_WITHIN_SECONDS after a claim, and no insert runs longer than INSERT_SECONDS_MAX. So rows
 * that are missing after SETTLE_SECONDS will not arrive anymore.
 */
const LANES = 4;

export const ROWS_MAX = 50_000;
/** Soft limit: the piece that exceeds it is still included. */
export const BYTES_MAX = 16_000_000;
export const ORGANIZATIONS_MAX = 200;
/** The first piece is small, because the size of its events is unknown: each may have 64 KB of properties. */
export const FIRST_PIECE_ROWS = 200;
export const PIECE_ROWS_MAX = 10_000;

/** For the first send of a batch. From the fifth send on it is five times as long, which is more than an insert may take. */
export const LEASE_SECONDS = 4;
export const SEND_WITHIN_SECONDS = 10;
export const INSERT_SECONDS_MAX = 15;
export const TRUST_SECONDS = 30;
export const SETTLE_SECONDS = 30;

/** All queues together use half of the 100,000 tokens that a table remembers in a minute. The other half is for other inserts. */
export const PACE_MS = (LANES * 60_000) / 50_000;
