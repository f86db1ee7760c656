/** Queues an email for every issued document, if the organization enabled it and the customer has an address. */
import type { OutboxMessage, OutboxSubscriber } from "../../../jobs/outbox.ts";
import type { Clock } from "../../../platform/clock.ts";
import { findOrganization } from "../../accounts/index.ts";
import { type DocumentSubject, findDocumentOf } from "../documents/index.ts";
import { mailSubject } from "./compose-mail.ts";
import { loadLetter } from "./letter.ts";
import { insertMail } from "./store.ts";
import { type MailRules, withheld } from "./withhold.ts";

/** The setting of the organization that enables each message type. */
const SETTINGS: Readonly<Record<string, string>> = {
  "invoice.created": "invoice.finalized",
  "invoice.one_off_created": "invoice.finalized",
  "invoice.paid_credit_added": "invoice.finalized",
  "credit_note.created": "credit_note.created",
};

export const queueMails =
  (clock: Clock, rules: MailRules): OutboxSubscriber =>
  async (batch, message) => {
    const setting = SETTINGS[message.webhookType];
    if (setting === undefined) return;
    const { organizationId } = message;
    const organization = await findOrganization(batch, organizationId);
    if (!organization.email_settings.includes(setting)) return;
    const document = await findDocumentOf(batch.tx, organizationId, toSubject(message));
    // The invoice is older than the documents feature.
    if (!document) return;
    const letter = await loadLetter(batch.tx, organizationId, document);
    // There is nothing to report if nothing was billed.
    if (letter.buyerAddresses.length === 0 || letter.feesCents === 0n) return;
    await insertMail(batch.tx, organizationId, {
      documentId: document.id,
      subject: mailSubject(letter),
      ...withheld(rules, organization, letter.buyerAddresses),
      at: clock.now(),
    });
  };

const toSubject = ({ objectType, objectId }: OutboxMessage): DocumentSubject =>
  objectType === "invoice" ? { invoiceId: objectId } : { creditNoteId: objectId };
