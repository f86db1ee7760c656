/** Sends the email of a document on request, if it failed, may be lost, or was never queued. A sent email is not sent again. */
import type { Clock } from "../../../platform/clock.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findOrganization } from "../../accounts/index.ts";
import { describeNamedCustomers } from "../../customers/index.ts";
import { type DocumentRow, type DocumentSubject, findDocumentOf, issueDocument } from "../documents/index.ts";
import { mailSubject } from "./compose-mail.ts";
import { mailErrors } from "./errors.ts";
import { addressesIn, loadLetter } from "./letter.ts";
import { type DocumentMailRow, insertMail, requeueMail } from "./store.ts";
import { type MailRules, withheld } from "./withhold.ts";

export type Resending = { clock: Clock; rules: MailRules };
type Requested = { subject: DocumentSubject; customerId: string };

export type Mailed = { mail: DocumentMailRow; document: DocumentRow };

/** Uses the customer's current addresses, because an old address may be why it failed. */
export async function resendMail(
  tx: Tx,
  { clock, rules }: Resending,
  organizationId: string,
  requested: Requested,
): Promise<Mailed> {
  const at = clock.now();
  const customer = (await describeNamedCustomers(alone(tx), organizationId, [requested.customerId])).get(
    requested.customerId,
  );
  const addresses = addressesIn(customer?.email ?? null);
  if (addresses.length === 0) throw mailErrors.problem("customer_has_no_email");
  const document = await documentOf(tx, organizationId, requested, at);
  const organization = await findOrganization(alone(tx), organizationId);
  const addressed = { documentId: document.id, ...withheld(rules, organization, addresses), at };
  const subject = mailSubject(await loadLetter(tx, organizationId, document));
  const mail =
    (await insertMail(tx, organizationId, { ...addressed, subject })) ??
    (await requeueMail(tx, organizationId, addressed));
  if (!mail) throw mailErrors.problem("mail_already_sent");
  return { mail, document };
}

async function documentOf(
  tx: Tx,
  organizationId: string,
  { subject, customerId }: Requested,
  at: Temporal.Instant,
): Promise<DocumentRow> {
  const known = await findDocumentOf(tx, organizationId, subject);
  if (known) return known;
  // The invoice is older than the documents feature.
  await issueDocument(alone(tx), organizationId, { subject, customerId, at });
  return documentOf(tx, organizationId, { subject, customerId }, at);
}
