/** All SQL on parked_items. */
import type { Insertable } from "kysely";
import type { Tx } from "../../platform/postgres/database.ts";
import type { DB } from "../../platform/postgres/schema.ts";
import type { ParkedItemRow } from "./schema.ts";

/** undefined: it is parked already. */
export const insertParkedItem = (
  tx: Tx,
  organizationId: string,
  item: Omit<Insertable<DB["parked_items"]>, "organization_id">,
): Promise<ParkedItemRow | undefined> =>
  tx
    .insertInto("parked_items")
    .values({ ...item, organization_id: organizationId })
    .onConflict((conflict) =>
      conflict.columns(["organization_id", "source", "item_id"]).where("status", "=", "parked").doNothing(),
    )
    .returningAll()
    .executeTakeFirst();
