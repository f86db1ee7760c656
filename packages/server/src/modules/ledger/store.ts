import type { Insertable } from "kysely";
import type { Tx } from "../../platform/postgres/database.ts";
import type { DB } from "../../platform/postgres/schema.ts";

export async function insertEntries(
  tx: Tx,
  organizationId: string,
  entries: readonly Omit<Insertable<DB["ledger_entries"]>, "organization_id">[],
): Promise<void> {
  await tx
    .insertInto("ledger_entries")
    .values(entries.map((entry) => ({ ...entry, organization_id: organizationId })))
    .execute();
}
