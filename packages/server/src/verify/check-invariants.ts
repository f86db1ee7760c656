/** Checks invariants one after the other, in the transaction that the caller has begun. */
import type { ClientBase } from "pg";
import type { Invariant } from "./read-invariants.ts";

export type Finding = {
  name: string;
  promise: string;
  /** How many rows break it. */
  broken: number;
  /** The first few of them. */
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
  // Invariants about what is late read the time from here, so that all of them see the same one.
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
  // As text: the columns stay in their order, whatever types the client reads.
  const statement = `select to_json(broken)::text as row, (count(*) over ())::int as total
    from (\n${select}\n) as broken ${where} limit $1`;
  try {
    const { rows } = await client.query<{ row: string; total: number }>({
      // Named, so that a client which checks often plans once: that takes longer than a look at a small world.
      name: organizationId === undefined ? name : `${name} of one`,
      text: statement,
      values: organizationId === undefined ? [rowsMax] : [rowsMax, organizationId],
    });
    const seconds = (performance.now() - begun) / 1000;
    return { name, promise, broken: rows[0]?.total ?? 0, rows: rows.map(({ row }) => JSON.parse(row)), seconds };
  } catch (cause) {
    // Whoever shows it knows by the code what to advise.
    const { code } = cause as { code?: string };
    throw Object.assign(new Error(`${name} could not be checked`, { cause }), { code });
  }
}
