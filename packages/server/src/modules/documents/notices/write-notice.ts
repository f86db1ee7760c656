/** Writes the email about new items that wait for an operator: at most one an hour for each organization, with each item once. */
import type { Clock } from "../../../platform/clock.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import { actForOrganization, type Database, inOrganization, type Tx } from "../../../platform/postgres/database.ts";
import type { Log } from "../../../platform/telemetry/log.ts";
import { findOrganization } from "../../accounts/index.ts";
import { addressesIn, insertNotice, lastNoticeAt, type MailRules, withheld } from "../mails/index.ts";
import { describeItems, noticeSubject } from "./notice-text.ts";
import { findOrganizationToNotify, linkItems, postponeItems, takeItems, tryLockNotices } from "./store.ts";

const EVERY = { hours: 1 };

/** Who gets the emails. One text may have several addresses, separated by commas. */
export type OwnersOf = (tx: Tx, organizationId: string) => Promise<readonly { email: string }[]>;

export type NoticeDeps = {
  db: Database;
  dispatcherDb: Database;
  clock: Clock;
  log: Log;
  mailRules: MailRules;
  mails: { baseUrl: string };
  ownersOf: OwnersOf;
};

/** False if nothing is due. A failure postpones the organization, so that it holds up no other. */
export async function writeNextNotice(deps: NoticeDeps): Promise<boolean> {
  const { db, dispatcherDb, clock, log, mailRules } = deps;
  if (!mailRules.isOn) return false;
  const organizationId = await findOrganizationToNotify(dispatcherDb, clock.now());
  if (organizationId === undefined) return false;
  try {
    return await dispatcherDb.transaction().execute(async (tx) => {
      await actForOrganization(tx, organizationId);
      if (!(await tryLockNotices(tx, organizationId))) return false;
      await writeNotice(tx, deps, organizationId);
      return true;
    });
  } catch (error) {
    log.error({ err: error, organization: organizationId }, "the email about waiting items could not be written");
    await inOrganization(db, organizationId, (tx) => postponeItems(tx, organizationId, clock.now().add(EVERY)));
    return true;
  }
}

async function writeNotice(
  tx: Tx,
  { clock, mailRules, mails, ownersOf }: NoticeDeps,
  organizationId: string,
): Promise<void> {
  const now = clock.now();
  const nextAt = (await lastNoticeAt(tx, organizationId))?.add(EVERY);
  if (nextAt && Temporal.Instant.compare(now, nextAt) < 0) return postponeItems(tx, organizationId, nextAt);
  const items = await takeItems(tx, organizationId, now);
  const addresses = [...new Set((await ownersOf(tx, organizationId)).flatMap(({ email }) => addressesIn(email)))];
  if (items.length === 0 || addresses.length === 0) return;
  const organization = await findOrganization(alone(tx), organizationId);
  const mailId = await insertNotice(tx, organizationId, {
    subject: noticeSubject(organization, items.length),
    body: describeItems(organization, items, mails.baseUrl),
    ...withheld(mailRules, organization, addresses),
    at: now,
  });
  await linkItems(tx, organizationId, { items, mailId });
}
