/** Checks a whole database in one snapshot and reports which promises are broken. It reads and never writes. */
import type { PoolClient } from "pg";
import { createPool, type Role } from "../platform/postgres/pool.ts";
import type { MasterKeys } from "../platform/secrets/master-keys.ts";
import { checkInvariants, type Finding } from "./check-invariants.ts";
import { readInvariants } from "./read-invariants.ts";
import { checkSealedRows, SEALED_CHECK } from "./sealed-rows.ts";
import { checkSignedHeads, HEADS_CHECK } from "./signed-heads.ts";

export type { Finding } from "./check-invariants.ts";
export { SEALED_CHECK } from "./sealed-rows.ts";

export type VerifyOptions = {
  /** Names of invariants. Default: all of them. */
  only?: readonly string[];
  /** Check only the rows of this organization. The catalog of the database belongs to no organization. */
  organizationId?: string;
  /** The current time. Default: the database's time. A service whose clock is moved by a test passes its own. */
  now?: Temporal.Instant;
  /** Checks sealed secrets as well, by opening each; null means that the service has no key. Default: they are not checked. */
  masterKeys?: MasterKeys | null;
  /** For each invariant; 0 means no limit. */
  statementTimeoutMs?: number;
  /** How many of the rows that break an invariant are returned. */
  rowsMax?: number;
  /** Called with each finding as soon as it is known. */
  onChecked?: (finding: Finding) => void;
};

export const STATEMENT_TIMEOUT_MS = 300_000;
const ROWS_MAX = 5;

/** They need the master keys, so they are code and not SQL. */
const KEY_CHECKS = [
  { name: SEALED_CHECK, check: checkSealedRows },
  { name: HEADS_CHECK, check: checkSignedHeads },
];

/** Every invariant is kept if `broken` is 0 in each finding. Throws if one could not be checked. */
export async function verify(url: string, options: VerifyOptions = {}): Promise<Finding[]> {
  const {
    only,
    organizationId,
    now,
    onChecked,
    masterKeys,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
    rowsMax = ROWS_MAX,
  } = options;
  const checks = masterKeys === undefined ? [] : KEY_CHECKS.filter(({ name }) => only?.includes(name) ?? true);
  const invariants = await readInvariants(only?.filter((name) => !checks.some((check) => check.name === name)));
  // Row level security narrows every scan to the organization, as it does for a request.
  const role = organizationId === undefined ? "verifier" : "app";
  const pool = createPool({ url, role, connectionsMax: 1, statementTimeoutMs });
  try {
    const client = await pool.connect();
    try {
      // One snapshot for all invariants, so that concurrent work is never seen half done.
      await client.query("begin transaction isolation level repeatable read, read only");
      await demandRole(client, role);
      // The checks sort large tables; more memory keeps most sorts off the disk.
      await client.query("select set_config('work_mem', '64MB', true), set_config('app.organization_id', $1, true)", [
        organizationId ?? "",
      ]);
      const findings = await checkInvariants(client, invariants, { rowsMax, organizationId, now, onChecked });
      for (const { check } of checks) {
        const finding = await check(client, { masterKeys: masterKeys ?? null, rowsMax, organizationId });
        findings.push(finding);
        onChecked?.(finding);
      }
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
