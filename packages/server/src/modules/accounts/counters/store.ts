/** All SQL on counters: numbers without gaps, in series per organization. */
import { sql } from "kysely";
import type { Tx } from "../../../platform/postgres/database.ts";

/**
 * Takes the next number of each series. Gapless: the row of a series stays locked until the transaction ends, and a rollback returns the
 * number.
 */
export async function takeNumbers(tx: Tx, organizationId: string, series: readonly string[]): Promise<bigint[]> {
  const taken = await tx
    .insertInto("counters")
    .values(series.map((name) => ({ organization_id: organizationId, series: name, value: 1n })))
    .onConflict((conflict) =>
      conflict.columns(["organization_id", "series"]).doUpdateSet({ value: sql`counters.value + 1` }),
    )
    .returning(["series", "value"])
    .execute();
  const values = new Map(taken.map(({ series: name, value }) => [name, value]));
  return series.map((name) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`the counter ${name} gave no number`);
    return value;
  });
}

/** Takes `count` consecutive numbers and returns the last. A series that does not exist yet begins after `countBefore`. */
export async function takeLastOf(
  tx: Tx,
  organizationId: string,
  { series, count, countBefore }: { series: string; count: bigint; countBefore: () => Promise<bigint> },
): Promise<bigint> {
  const { rows: known } = await sql<{ value: bigint }>`
    update counters set value = value + ${count}::bigint
    where organization_id = ${organizationId} and series = ${series} returning value`.execute(tx);
  if (known[0]) return known[0].value;
  // If another transaction creates the series at the same time, this statement waits and continues from its value.
  const { rows } = await sql<{ value: bigint }>`
    insert into counters (organization_id, series, value)
    values (${organizationId}::uuid, ${series}, ${await countBefore()}::bigint + ${count}::bigint)
    on conflict (organization_id, series) do update set value = counters.value + ${count}::bigint
    returning value`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error(`the counter ${series} gave no number`);
  return row.value;
}

/** Returns a number that was just taken in the same transaction. */
export async function returnNumber(tx: Tx, organizationId: string, series: string): Promise<void> {
  await tx
    .updateTable("counters")
    .set({ value: sql`value - 1` })
    .where("organization_id", "=", organizationId)
    .where("series", "=", series)
    .execute();
}
