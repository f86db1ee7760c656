/** Checks invariants one after the other, in the transaction that the caller has begun. */
import type { ClientBase } from "pg";
import type { Invariant } from "./read-invariants.ts";

export type Finding = {
  name: string;
  promise: string;
  /** How many rows break the invariant. */
  broken: number;
  /** The first few of those rows. */
  rows: readonly Readonly<Record<string, unknown>>[];
  seconds: number;
};

export type Scope = {
  rowsMax: number;
  organizationId?: string | undefined;
  now?: Temporal.Instant | undefined;
  onChecked?: ((finding: Finding) => void) | undefined;
};

export async function checkInvariants(
  client: ClientBase,
  invariants: readonly Invariant[],
  { now, onChecked, ...scope }: Scope,
): Promise<Finding[]> {
  // All invariants about late work read the time from here, so they all use the same instant.
  await client.query("select set_config('verify.now', coalesce($1, now()::text), true)", [now?.toString() ?? null]);
  const findings: Finding[] = [];
  for (const invariant of invariants) {
    const finding = await checkInvariant(client, invariant, scope);
    findings.push(finding);
    onChecked?.(finding);
  }
  return findings;
}

async function checkInvariant(
  client: ClientBase,
  { name, promise, select }: Invariant,
  { rowsMax, organizationId }: Pick<Scope, "rowsMax" | "organizationId">,
): Promise<Finding> {
  const begun = performance.now();
  const where = organizationId === undefined ? "" : "where broken.organization_id = $2";
  // As text, so that the columns keep their order whatever types the client parses.
  const statement = `select to_json(broken)::text as row, (count(*) over ())::int as total
    from (\n${select}\n) as broken ${where} limit $1`;
  try {
    const { rows } = await client.query<{ row: string; total: number }>({
      // Named statements, so that a client that checks often plans each one once. On a small database, planning takes longer than running.
      name: organizationId === undefined ? name : `${name} of one`,
      text: statement,
      values: organizationId === undefined ? [rowsMax] : [rowsMax, organizationId],
    });
    const seconds = (performance.now() - begun) / 1000;
    return { name, promise, broken: rows[0]?.total ?? 0, rows: rows.map(({ row }) => JSON.parse(row)), seconds };
  } catch (cause) {
    // The caller chooses its advice by the error code.
    const { code } = cause as { code?: string };
    throw Object.assign(new Error(`${name} could not be checked`, { cause }), { code });
  }
}
