/** Emails in each status, and plants that break their promises. */
import { id } from "./names.ts";
import { type Row, row } from "./rows.ts";
import { copy, NEW, type Plant } from "./statements.ts";

const [SENT, LOST, REFUSED, WAITING, UNDER_WAY] = [id(841), id(842), id(843), id(844), id(845)];
const [FIRST, SECOND, OF_LOST, OF_REFUSED, OF_WAITING, OPEN] = [id(851), id(852), id(853), id(854), id(855), id(856)];
const AT = "2024-04-10T11:50:00Z";

const mail = (mailId: string, documentNumber: number, more: object): Row =>
  row("mails", {
    id: mailId,
    document_id: id(documentNumber),
    recipients: ["personal@example.com"],
    subject: "personal",
    ready_at: AT,
    created_at: AT,
    ...more,
  });

const attempt = (attemptId: string, mailId: string, number: number, outcome: string | null): Row =>
  row("mail_attempts", {
    id: attemptId,
    mail_id: mailId,
    number,
    started_at: AT,
    ...(outcome === null ? {} : { ended_at: AT, outcome, response: "personal" }),
  });

export const mailWorld: readonly Row[] = [
  mail(SENT, 831, { status: "sent", attempts: 2, settled_at: AT }),
  attempt(FIRST, SENT, 1, "deferred"),
  attempt(SECOND, SENT, 2, "taken"),
  mail(LOST, 832, { status: "unknown", attempts: 1, settled_at: AT }),
  attempt(OF_LOST, LOST, 1, "unknown"),
  mail(REFUSED, 833, { status: "failed", attempts: 1, settled_at: AT }),
  attempt(OF_REFUSED, REFUSED, 1, "refused"),
  mail(WAITING, 834, { status: "queued", attempts: 1 }),
  attempt(OF_WAITING, WAITING, 1, "deferred"),
  mail(UNDER_WAY, 835, { status: "sending", attempts: 1, leased_until: "2024-04-10T12:05:00Z", lease_id: id(857) }),
  attempt(OPEN, UNDER_WAY, 1, null),
];

const change = (table: string, rowId: string, columns: string): string =>
  `update ${table} set ${columns} where id = '${rowId}'`;

export const mailPlants: Readonly<Record<string, readonly Plant[]>> = {
  "mails-are-sent-once": [
    [
      "a document is mailed twice",
      `alter table mails drop constraint mails_organization_id_document_id_key;
       ${copy("mails", `id = '${WAITING}'`, { id: NEW, attempts: 0 })}`,
    ],
    [
      "an email is accepted twice",
      `drop index mail_attempts_taken_once; ${change("mail_attempts", FIRST, "outcome = 'taken'")}`,
    ],
    [
      "an email is tried again after it was accepted",
      `${copy("mail_attempts", `id = '${FIRST}'`, { id: NEW, number: 3 })};
       ${change("mails", SENT, "attempts = 3")}`,
    ],
    ["an accepted email waits to be sent", change("mail_attempts", OF_WAITING, "outcome = 'taken'")],
    ["an email that was not accepted has the status sent", change("mail_attempts", SECOND, "outcome = 'deferred'")],
  ],
  "mails-do-not-wait": [
    ["a mail has waited", change("mails", WAITING, "ready_at = '2024-04-10T10:59:00Z'")],
    [
      "a worker was lost with a mail",
      change("mails", UNDER_WAY, "ready_at = '2024-04-10T10:00:00Z', leased_until = '2024-04-10T10:05:00Z'"),
    ],
  ],
  "mails-follow-attempts": [
    ["an attempt is not recorded", `delete from mail_attempts where id = '${FIRST}'`],
    ["an attempt is not counted", change("mails", WAITING, "attempts = 0")],
    ["an attempt is missing", change("mail_attempts", OF_WAITING, "number = 2")],
    [
      "an attempt is in progress, but the email is not",
      change("mail_attempts", OF_WAITING, "outcome = null, ended_at = null, response = null"),
    ],
    [
      "a finished attempt has the status in progress",
      change("mail_attempts", OPEN, `outcome = 'deferred', ended_at = '${AT}', response = ''`),
    ],
    ["an email that may have been sent has the status failed", change("mails", LOST, "status = 'failed'")],
    ["an email that certainly failed has the status unknown", change("mails", REFUSED, "status = 'unknown'")],
  ],
};

export const mailFalseAlarms: readonly Plant[] = [
  [
    "workers catch up with mails that were ready earlier",
    `${change("mails", WAITING, "ready_at = '2024-04-10T10:59:00Z'")}; ${change("mails", SENT, "ready_at = '2024-04-10T10:00:00Z'")}`,
  ],
  ["an operator resends an email that may be lost", change("mails", LOST, "status = 'queued', settled_at = null")],
  [
    "a mail does not leave the installation",
    copy("mails", `id = '${WAITING}'`, {
      id: NEW,
      document_id: NEW,
      status: "suppressed",
      attempts: 0,
      settled_at: AT,
    }),
  ],
];
