/** All SQL on mails and mail_attempts. */
import { type Selectable, sql } from "kysely";
import type { ListRequest } from "../../../http/list-query.ts";
import { byInstant, pageOf } from "../../../http/page-of.ts";
import { NOTHING_WAITS, type Patience, ROWS_MAX, type Waiting } from "../../../jobs/waiting.ts";
import { newId } from "../../../platform/new-id.ts";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

export type MailRow = Selectable<DB["mails"]>;
/** An email that delivers a document. */
export type DocumentMailRow = MailRow & { document_id: string };
export type MailStatus = MailRow["status"];

export type NewMail = {
  documentId: string;
  recipients: readonly string[];
  subject: string;
  /** Why the email must not leave this installation. null: it is queued. */
  suppressedBecause: string | null;
  at: Temporal.Instant;
};

const newStatus = ({ suppressedBecause, at }: Pick<NewMail, "suppressedBecause" | "at">) => ({
  status: suppressedBecause === null ? ("queued" as const) : ("suppressed" as const),
  last_error: suppressedBecause,
  ready_at: at,
  settled_at: suppressedBecause === null ? null : at,
});

/** An email without a document. */
export async function insertNotice(
  tx: Tx,
  organizationId: string,
  { body, recipients, subject, ...mail }: Omit<NewMail, "documentId"> & { body: string },
): Promise<string> {
  const id = newId();
  await tx
    .insertInto("mails")
    .values({
      organization_id: organizationId,
      id,
      recipients: [...recipients],
      subject,
      body,
      created_at: mail.at,
      ...newStatus(mail),
    })
    .execute();
  return id;
}

/** Index: mails_notices. */
export async function lastNoticeAt(tx: Tx, organizationId: string): Promise<Temporal.Instant | undefined> {
  const last = await tx
    .selectFrom("mails")
    .select("created_at")
    .where("organization_id", "=", organizationId)
    .where("document_id", "is", null)
    .orderBy("created_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return last?.created_at;
}

/** undefined: the document already has an email, which stays. */
export const insertMail = (tx: Tx, organizationId: string, mail: NewMail): Promise<DocumentMailRow | undefined> =>
  tx
    .insertInto("mails")
    .values({
      organization_id: organizationId,
      id: newId(),
      document_id: mail.documentId,
      recipients: [...mail.recipients],
      subject: mail.subject,
      created_at: mail.at,
      ...newStatus(mail),
    })
    .onConflict((conflict) => conflict.columns(["organization_id", "document_id"]).doNothing())
    .returningAll()
    .$narrowType<{ document_id: string }>()
    .executeTakeFirst();

/** undefined: the email is sent or being sent, so it must not be sent again. */
export const requeueMail = (
  tx: Tx,
  organizationId: string,
  { documentId, recipients, ...mail }: Omit<NewMail, "subject">,
): Promise<DocumentMailRow | undefined> =>
  tx
    .updateTable("mails")
    .set({ recipients: [...recipients], ...newStatus(mail) })
    .where("organization_id", "=", organizationId)
    .where("document_id", "=", documentId)
    .where("status", "in", ["failed", "unknown", "suppressed"])
    .returningAll()
    .$narrowType<{ document_id: string }>()
    .executeTakeFirst();

export const findMail = (tx: Tx, organizationId: string, id: string): Promise<MailRow> =>
  tx
    .selectFrom("mails")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .executeTakeFirstOrThrow();

/** Those that deliver documents. Index: mails_list. */
export const pageOfMails = (tx: Tx, organizationId: string, list: ListRequest) =>
  pageOf(
    tx
      .selectFrom("mails")
      .selectAll("mails")
      .where("organization_id", "=", organizationId)
      .where("document_id", "is not", null)
      .$narrowType<{ document_id: string }>(),
    list,
    { sorts: { created_at: [byInstant("created_at")] }, filters: { status: "status" } },
  );

export type Lease = { id: string; until: Temporal.Instant };

/** Over all organizations, for the dispatcher: leases the email that has been ready longest, or whose worker died. */
export async function leaseMail(
  tx: Tx,
  lease: Lease,
  now: Temporal.Instant,
): Promise<{ organizationId: string; id: string } | undefined> {
  const { rows } = await sql<{ organizationId: string; id: string }>`
    update mails set leased_until = ${lease.until}, lease_id = ${lease.id}
    where (organization_id, id) = (
      select organization_id, id from mails
      where settled_at is null and ready_at <= ${now}::timestamptz
        and (leased_until is null or leased_until <= ${now}::timestamptz)
      order by ready_at limit 1
      for update skip locked
    )
    returning organization_id as "organizationId", id`.execute(tx);
  return rows[0];
}

/** Recorded before sending, so that no other worker begins. undefined: the lease was lost. */
export async function beginAttempt(
  tx: Tx,
  organizationId: string,
  { mailId, lease, at }: { mailId: string; lease: Lease; at: Temporal.Instant },
): Promise<number | undefined> {
  const mail = await tx
    .updateTable("mails")
    .set({ status: "sending", attempts: sql<number>`attempts + 1`, leased_until: lease.until })
    .where("organization_id", "=", organizationId)
    .where("id", "=", mailId)
    .where("lease_id", "=", lease.id)
    .where("status", "=", "queued")
    .returning("attempts")
    .executeTakeFirst();
  if (!mail) return undefined;
  await tx
    .insertInto("mail_attempts")
    .values({ organization_id: organizationId, id: newId(), mail_id: mailId, number: mail.attempts, started_at: at })
    .execute();
  return mail.attempts;
}

export type Attempt = { mailId: string; number: number };

/** Also for an attempt that was considered lost and came back. */
export async function endAttempt(
  tx: Tx,
  organizationId: string,
  { mailId, number }: Attempt,
  { outcome, response, at }: { outcome: DB["mail_attempts"]["outcome"]; response: string; at: Temporal.Instant },
): Promise<void> {
  await tx
    .updateTable("mail_attempts")
    .set({ outcome, response, ended_at: at })
    .where("organization_id", "=", organizationId)
    .where("mail_id", "=", mailId)
    .where("number", "=", number)
    .where((row) => row.or([row("outcome", "is", null), row("outcome", "=", "unknown")]))
    .execute();
}

export type Settled = {
  status: MailStatus;
  ready_at?: Temporal.Instant;
  settled_at: Temporal.Instant | null;
  last_error: string | null;
};

/**
 * False if a later attempt exists. The result of an attempt counts even after the attempt was considered lost.
 * An acceptance also counts after a resend was requested, until that attempt begins.
 */
export async function settleMail(
  tx: Tx,
  organizationId: string,
  { mailId, number }: Attempt,
  settled: Settled,
): Promise<boolean> {
  const open: MailStatus[] =
    settled.status === "sent" ? ["sending", "unknown", "queued", "suppressed"] : ["sending", "unknown"];
  const { numUpdatedRows } = await tx
    .updateTable("mails")
    .set({ ...settled, leased_until: null, lease_id: null })
    .where("organization_id", "=", organizationId)
    .where("id", "=", mailId)
    .where("attempts", "=", number)
    .where("status", "in", open)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Over all organizations, for the dispatcher: counts emails that were not attempted in time. A failed attempt is ready again later. */
export async function countWaitingMails(dispatcherDb: Database, { now, since }: Patience): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    select count(*)::integer as count, min(ready_at) as "oldestAt"
    from (
      select ready_at, leased_until from mails where settled_at is null and ready_at < ${since}::timestamptz
      order by ready_at limit ${ROWS_MAX}::integer
    ) as mail
    where leased_until is null or leased_until <= ${now}::timestamptz`.execute(dispatcherDb);
  return rows[0] ?? NOTHING_WAITS;
}
