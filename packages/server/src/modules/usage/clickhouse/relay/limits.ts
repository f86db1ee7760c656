/**
 * How large batches are, and the times by which a repeat is told from a double. A token is good for TRUST_SECONDS after its first send.
 * Nobody can insert later than SEND_WITHIN_SECONDS after a claim, the engine sees to that, and no insert runs longer than
 * INSERT_SECONDS_MAX; so after SETTLE_SECONDS what is not there will not come any more.
 */
const LANES = 4;

export const ROWS_MAX = 50_000;
/** Soft: the piece that passes it is still taken. */
export const BYTES_MAX = 16_000_000;
export const ORGANIZATIONS_MAX = 200;
/** The first piece is small, as nobody knows how large its events are: each may have 64 KB of properties. */
export const FIRST_PIECE_ROWS = 200;
export const PIECE_ROWS_MAX = 10_000;

/** Of a batch that is sent for the first time; from the fifth time on five times as long, which is more than an insert may take. */
export const LEASE_SECONDS = 4;
export const SEND_WITHIN_SECONDS = 10;
export const INSERT_SECONDS_MAX = 15;
export const TRUST_SECONDS = 30;
export const SETTLE_SECONDS = 30;

/** A minute of all lanes takes half of the 100,000 tokens that a table remembers; the other half is for whoever else inserts. */
export const PACE_MS = (LANES * 60_000) / 50_000;
