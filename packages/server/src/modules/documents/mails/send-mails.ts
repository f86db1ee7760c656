/** Sends queued emails: lease, prepare, record the attempt, send outside of any transaction, settle. */
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import type { Mailer, MailOutcome, OutgoingMail } from "../../../platform/mail/send-mail.ts";
import { newId } from "../../../platform/new-id.ts";
import { actForOrganization, type Database, inSnapshot } from "../../../platform/postgres/database.ts";
import type { Log } from "../../../platform/telemetry/log.ts";
import type { Metrics } from "../../../platform/telemetry/metrics.ts";
import { findDocuments, findFile } from "../documents/index.ts";
import { type DownloadDeps, makeDocument } from "../downloads/index.ts";
import { composeMail, composeNotice, fileName } from "./compose-mail.ts";
import { loadLetter, subjectOf } from "./letter.ts";
import {
  type Attempt,
  beginAttempt,
  endAttempt,
  findMail,
  type Lease,
  leaseMail,
  type MailRow,
  type Settled,
  settleMail,
} from "./store.ts";

export type Sending = DownloadDeps & {
  dispatcherDb: Database;
  log: Log;
  metrics: Metrics;
  /** undefined: email is off. */
  mailer: Mailer | undefined;
  mails: {
    /** The sender address. */
    from: string;
    /** The public URL of this service, for the link in the message about a new file. */
    baseUrl: string;
    /** Seconds to wait after each deferred attempt. After the last one the email fails. */
    delays: readonly number[];
    timeoutSeconds: number;
  };
};

/** The time limit for creating the document. */
const PREPARING_SECONDS = 120;
/** The timeout applies to each of connect, greeting, TLS, name, recipients and message. Then the outcome is saved. */
const TIMEOUTS_OF_ATTEMPT = 8;
/** Spreads the retries of emails that failed together. */
const JITTER_MAX = 0.1;
const CHANCES = 1_000_000;
const SENDER_OF_NOTICES = "Tallystick";
const GONE = "the attempt did not end: the email may have been sent";

/** Makes the next attempt. Returns false if none is due. */
export async function sendNextMail(deps: Sending): Promise<boolean> {
  const { mailer, clock, log } = deps;
  if (!mailer) return false;
  const lease: Lease = { id: newId(), until: clock.now().add({ seconds: PREPARING_SECONDS }) };
  const mail = await claim(deps, lease);
  if (mail === undefined) return false;
  if (mail === "given up") return true;
  const prepared = await prepare(deps, mail).catch((error: unknown) => {
    log.error({ err: error, organization: mail.organization_id, mail: mail.id }, "an email could not be prepared");
    return undefined;
  });
  const attempt = await begin(deps, mail, lease);
  if (!attempt) return true;
  const outcome: MailOutcome = prepared
    ? await mailer.send(prepared)
    : { outcome: "deferred", response: "the document could not be created" };
  await settle(deps, mail, attempt, outcome);
  return true;
}

async function claim({ dispatcherDb, clock }: Sending, lease: Lease): Promise<MailRow | "given up" | undefined> {
  return dispatcherDb.transaction().execute(async (tx) => {
    const now = clock.now();
    const taken = await leaseMail(tx, lease, now);
    if (!taken) return undefined;
    const { organizationId, id } = taken;
    await actForOrganization(tx, organizationId);
    const mail = await findMail(tx, organizationId, id);
    if (mail.status !== "sending") return mail;
    // The worker died, so the server's answer is unknown.
    const attempt = { mailId: id, number: mail.attempts };
    await endAttempt(tx, organizationId, attempt, { outcome: "unknown", response: GONE, at: now });
    await settleMail(tx, organizationId, attempt, { status: "unknown", settled_at: now, last_error: GONE });
    return "given up";
  });
}

/** A document is attached as the same file that downloads serve, and created if needed. */
async function prepare(deps: Sending, mail: MailRow): Promise<OutgoingMail> {
  const { organization_id: organizationId, document_id: documentId } = mail;
  const { db, mails } = deps;
  const addressed = {
    messageId: `<${mail.id}@${mails.from.slice(mails.from.lastIndexOf("@") + 1)}>`,
    to: mail.recipients,
    subject: mail.subject,
  };
  if (documentId === null) {
    const from = { name: SENDER_OF_NOTICES, address: mails.from };
    return { ...addressed, from, replyTo: [], ...composeNotice(mail.subject, mail.body ?? "") };
  }
  const { document, letter } = await inSnapshot(db, organizationId, async (tx) => {
    const [found] = await findDocuments(tx, organizationId, [documentId]);
    assert(found, "an email has a document");
    return { document: found, letter: await loadLetter(tx, organizationId, found) };
  });
  if (document.digest === null)
    await makeDocument(deps, organizationId, { subject: subjectOf(document), baseUrl: mails.baseUrl });
  const content = await inSnapshot(db, organizationId, (tx) => findFile(tx, organizationId, documentId));
  assert(content, "the file was just created");
  return {
    ...addressed,
    from: { name: letter.seller, address: mails.from },
    replyTo: letter.sellerAddresses,
    ...composeMail(letter, mail.subject),
    attachment: { filename: fileName(letter), content, contentType: "application/pdf" },
  };
}

/** Committed before the first byte is sent. A later worker then knows that the email may have been sent. */
async function begin(
  { dispatcherDb, clock, mails }: Sending,
  { organization_id: organizationId, id: mailId }: MailRow,
  { id }: Lease,
): Promise<Attempt | undefined> {
  return dispatcherDb.transaction().execute(async (tx) => {
    await actForOrganization(tx, organizationId);
    const at = clock.now();
    const lease = { id, until: at.add({ seconds: TIMEOUTS_OF_ATTEMPT * mails.timeoutSeconds }) };
    const number = await beginAttempt(tx, organizationId, { mailId, lease, at });
    return number === undefined ? undefined : { mailId, number };
  });
}

async function settle(
  { dispatcherDb, clock, metrics, mails }: Sending,
  { organization_id: organizationId }: MailRow,
  attempt: Attempt,
  outcome: MailOutcome,
): Promise<void> {
  await dispatcherDb.transaction().execute(async (tx) => {
    await actForOrganization(tx, organizationId);
    const now = clock.now();
    const chance = randomInt(CHANCES) / CHANCES;
    const settled = decideNext(outcome, { delay: mails.delays[attempt.number - 1], now, chance });
    // The late answer of a lost attempt: if the email was tried again, the attempt stays unknown and keeps the answer.
    const isLast = await settleMail(tx, organizationId, attempt, settled);
    const known = isLast ? outcome.outcome : "unknown";
    await endAttempt(tx, organizationId, attempt, { outcome: known, response: outcome.response, at: now });
  });
  const labels = { source: "mail", kind: outcome.outcome };
  if (outcome.outcome === "taken") metrics.workDone.inc(labels);
  else metrics.workFailed.inc(labels);
}

type Circumstances = { delay: number | undefined; now: Temporal.Instant; chance: number };

function decideNext(result: MailOutcome, { delay, now, chance }: Circumstances): Settled {
  if (result.outcome === "taken") {
    const refused = result.refusedRecipients.join(", ");
    return { status: "sent", settled_at: now, last_error: refused === "" ? null : `refused for ${refused}` };
  }
  const last_error = result.response;
  if (result.outcome === "unknown") return { status: "unknown", settled_at: now, last_error };
  if (result.outcome === "refused" || delay === undefined) return { status: "failed", settled_at: now, last_error };
  const ready_at = now.add({ milliseconds: Math.ceil(delay * (1 + JITTER_MAX * chance) * 1000) });
  return { status: "queued", ready_at, settled_at: null, last_error };
}
