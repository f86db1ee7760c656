/** What the harness reads of the tables, with the rights and the sight of a request. */
import type { createPool } from "../../../packages/server/src/platform/postgres/pool.ts";

export type Records = { organizationId: string; pool: ReturnType<typeof createPool> };

/** One statement; the organization is its first parameter. */
export async function readRecords<Row>(
  { organizationId, pool }: Records,
  statement: string,
  ...values: readonly unknown[]
): Promise<Row[]> {
  const client = await pool.connect();
  let isFine = false;
  try {
    await client.query("begin");
    await client.query("select set_config('app.organization_id', $1, true)", [organizationId]);
    const { rows } = await client.query(statement, [organizationId, ...values]);
    await client.query("commit");
    isFine = true;
    return rows;
  } finally {
    // Another begin would find an open transaction on it.
    client.release(!isFine);
  }
}
