/** All SQL on sign_in_rules, and which providers meet their demands. Without a row, an organization has the defaults. */
import type { Selectable } from "kysely";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

export type SignInRules = Omit<Selectable<DB["sign_in_rules"]>, "organization_id" | "updated_at">;

const DEFAULTS: SignInRules = {
  session_idle_minutes: 30,
  session_max_hours: 12,
  requires_second_factor: false,
  requires_sso: false,
};

const COLUMNS = ["session_idle_minutes", "session_max_hours", "requires_second_factor", "requires_sso"] as const;

const rulesOf = (tx: Tx, organizationId: string) =>
  tx.selectFrom("sign_in_rules").select(COLUMNS).where("organization_id", "=", organizationId);

export const findRules = async (tx: Tx, organizationId: string): Promise<SignInRules> =>
  (await rulesOf(tx, organizationId).executeTakeFirst()) ?? DEFAULTS;

/** With the lock of a change. */
export const lockRules = async (tx: Tx, organizationId: string): Promise<SignInRules> =>
  (await rulesOf(tx, organizationId).forUpdate().executeTakeFirst()) ?? DEFAULTS;

/** Takes the demands back, for an organization that locked itself out. */
export async function relaxRules(tx: Tx, organizationId: string, now: Temporal.Instant): Promise<void> {
  await tx
    .updateTable("sign_in_rules")
    .set({ requires_second_factor: false, requires_sso: false, updated_at: now })
    .where("organization_id", "=", organizationId)
    .execute();
}

export async function saveRules(
  tx: Tx,
  organizationId: string,
  rules: SignInRules & { updated_at: Temporal.Instant },
): Promise<void> {
  await tx
    .insertInto("sign_in_rules")
    .values({ ...rules, organization_id: organizationId })
    .onConflict((conflict) => conflict.column("organization_id").doUpdateSet(rules))
    .execute();
}

/** The ids of the identity providers through which people may sign in. */
export async function listEnabledProviders(tx: Tx, organizationId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom("identity_providers")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where("enabled", "=", true)
    .execute();
  return rows.map(({ id }) => id);
}
