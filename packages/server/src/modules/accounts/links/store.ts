/** All SQL on setup_links. Over all organizations, for the dispatcher: who opens a link has no organization_id yet. */
import { sql } from "kysely";
import type { Database, Tx } from "../../../platform/postgres/database.ts";

/** What a link is for. A setup link makes an owner. */
export type LinkPurpose =
  | { kind: "setup"; organizationId: string }
  | { kind: "password_reset" | "second_factor"; userId: string };

export type NewLink = LinkPurpose & { tokenHash: Buffer; now: Temporal.Instant; expiresAt: Temporal.Instant };

/** Over all organizations: the organization_id is that of the purpose. */
export async function insertLink(dispatcherDb: Database | Tx, link: NewLink): Promise<void> {
  await dispatcherDb
    .insertInto("setup_links")
    .values({
      token_hash: link.tokenHash,
      kind: link.kind,
      organization_id: "organizationId" in link ? link.organizationId : null,
      user_id: "userId" in link ? link.userId : null,
      created_at: link.now,
      expires_at: link.expiresAt,
    })
    .execute();
}

type Taken = { kind: LinkPurpose["kind"]; organization_id: string | null; user_id: string | null };

/** Over all organizations, with the organization_id of the link. The row that is updated is the right to go on, so a link works once. */
export async function takeLink(
  tx: Tx,
  { tokenHash, kind, now }: { tokenHash: Buffer; kind: LinkPurpose["kind"]; now: Temporal.Instant },
): Promise<Taken | undefined> {
  const { rows } = await sql<Taken>`
    update setup_links set used_at = ${now}
    where token_hash = ${tokenHash} and kind = ${kind} and used_at is null and expires_at > ${now}
    returning kind, organization_id, user_id`.execute(tx);
  return rows[0];
}

/** Over all organizations, with the organization_id of the link. */
export async function findLink(
  dispatcherDb: Database | Tx,
  { tokenHash, now }: { tokenHash: Buffer; now: Temporal.Instant },
): Promise<Taken | undefined> {
  const { rows } = await sql<Taken>`
    select kind, organization_id, user_id from setup_links
    where token_hash = ${tokenHash} and used_at is null and expires_at > ${now}`.execute(dispatcherDb);
  return rows[0];
}

/** Over all organizations: the links of a person. */
export async function dropLinksOfUser(
  tx: Tx,
  userId: string,
  { kind, now }: { kind: LinkPurpose["kind"]; now: Temporal.Instant },
): Promise<void> {
  await sql`
    update setup_links set used_at = ${now}
    where user_id = ${userId} and kind = ${kind} and used_at is null`.execute(tx);
}

/** Over all organizations: a link is forgotten by its age. */
export async function forgetLinks(dispatcherDb: Database, before: Temporal.Instant): Promise<void> {
  await dispatcherDb.deleteFrom("setup_links").where("expires_at", "<", before).execute();
}
