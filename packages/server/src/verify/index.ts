/** Looks at a database, all of it at one moment, and says which of its promises are broken. It reads and never writes. */
import type { PoolClient } from "pg";
import { createPool, type Role } from "../platform/postgres/pool.ts";
import { checkInvariants, type Finding } from "./check-invariants.ts";
import { readInvariants } from "./read-invariants.ts";

export type { Finding } from "./check-invariants.ts";

export type VerifyOptions = {
  /** Names of invariants; all of them if nothing is said. */
  only?: readonly string[];
  /** Only the rows of this organization are looked at. What the catalog of the database says belongs to none. */
  organizationId?: string;
  /** What the real clock shows; the database's time if nothing is said. A service whose clock is moved by a test says it. */
  now?: Temporal.Instant;
  /** For each invariant; 0 means no limit. */
  statementTimeoutMs?: number;
  /** How many of the rows that break an invariant are given. */
  rowsMax?: number;
  /** Called with each finding as soon as it is there. */
  onChecked?: (finding: Finding) => void;
};

export const STATEMENT_TIMEOUT_MS = 300_000;
const ROWS_MAX = 5;

/** Every invariant is kept if `broken` is 0 in each finding. Throws if one could not be checked. */
export async function verify(url: string, options: VerifyOptions = {}): Promise<Finding[]> {
  const {
    only,
    organizationId,
    now,
    onChecked,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
    rowsMax = ROWS_MAX,
  } = options;
  const invariants = await readInvariants(only);
  // Row level security narrows every scan to the organization, as it does for a request.
  const role = organizationId === undefined ? "verifier" : "app";
  const pool = createPool({ url, role, connectionsMax: 1, statementTimeoutMs });
  try {
    const client = await pool.connect();
    try {
      // One snapshot for all: work that goes on meanwhile is not seen half done.
      await client.query("begin transaction isolation level repeatable read, read only");
      await demandRole(client, role);
      // Large tables are sorted: in memory, as far as that goes.
      await client.query("select set_config('work_mem', '64MB', true), set_config('app.organization_id', $1, true)", [
        organizationId ?? "",
      ]);
      const findings = await checkInvariants(client, invariants, { rowsMax, organizationId, now, onChecked });
      await client.query("commit");
      return findings;
    } finally {
      client.release(true);
    }
  } finally {
    await pool.end();
  }
}

/** In another role row level security may hide every row, and an empty table breaks no promise. */
async function demandRole(client: PoolClient, role: Role): Promise<void> {
  const { rows } = await client.query<{ role: string }>("select current_user::text as role");
  const found = rows[0]?.role;
  if (found !== `tallystick_${role}`)
    throw new Error(
      `connections run as ${found} and not as tallystick_${role}: a proxy dropped the start-up option "role"`,
    );
}
