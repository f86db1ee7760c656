/** All SQL on mail_domains. */
import type { Database, Tx } from "../../../platform/postgres/database.ts";

/** The domains that the operator has approved for the organization. */
export async function approvedDomains(tx: Tx, organizationId: string): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom("mail_domains")
    .select("domain")
    .where("organization_id", "=", organizationId)
    .execute();
  return new Set(rows.map(({ domain }) => domain));
}

/** Over all organizations, to find the organization_id: who signs in has only a mail address. */
export async function findOrganizationOfDomain(dispatcherDb: Database, domain: string): Promise<string | undefined> {
  const row = await dispatcherDb
    .selectFrom("mail_domains")
    .select("organization_id")
    .where("domain", "=", domain)
    .executeTakeFirst();
  return row?.organization_id;
}

/** Over all organizations, with their organization_id, for the command line. */
export const listDomains = (dispatcherDb: Database) =>
  dispatcherDb.selectFrom("mail_domains").selectAll().orderBy("domain").execute();

type Approval = { domain: string; organizationId: string; now: Temporal.Instant };

/** Over all organizations, for the operator. Returns the organization_id that has the domain now: the first one keeps it. */
export async function approveDomain(
  dispatcherDb: Database,
  { domain, organizationId, now }: Approval,
): Promise<string | undefined> {
  await dispatcherDb
    .insertInto("mail_domains")
    .values({ domain, organization_id: organizationId, approved_at: now })
    .onConflict((conflict) => conflict.column("domain").doNothing())
    .execute();
  return findOrganizationOfDomain(dispatcherDb, domain);
}

/** Over all organizations, for the operator: a domain has one organization_id at most. Returns false if it was not approved. */
export async function withdrawDomain(dispatcherDb: Database, domain: string): Promise<boolean> {
  const { numDeletedRows } = await dispatcherDb
    .deleteFrom("mail_domains")
    .where("domain", "=", domain)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
