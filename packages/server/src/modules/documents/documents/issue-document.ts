/** Creates the document of an invoice or credit note in the transaction that issues it, with the current parties. */
import assert from "node:assert/strict";
import { newId } from "../../../platform/new-id.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import { drawnLocale, findOrganization } from "../../accounts/index.ts";
import { describeNamedCustomers } from "../../customers/index.ts";
import { headerOf, TEMPLATE_VERSION } from "./header.ts";
import { type DocumentSubject, insertDocuments } from "./store.ts";

/** With the current parties. */
export async function describeDocument(batch: Batch, organizationId: string, customerId: string) {
  const organization = await findOrganization(batch, organizationId);
  const customer = (await describeNamedCustomers(batch, organizationId, [customerId])).get(customerId);
  assert(customer, "a document is issued to a customer");
  return {
    locale: drawnLocale(customer.billing_configuration.document_locale ?? organization.document_locale),
    template_version: TEMPLATE_VERSION,
    header: headerOf(organization, customer),
    logo_digest: organization.logo_digest,
  };
}

type Issued = { subject: DocumentSubject; customerId: string; at: Temporal.Instant };

export async function issueDocument(
  batch: Batch,
  organizationId: string,
  { subject, customerId, at }: Issued,
): Promise<void> {
  const { header, ...described } = await describeDocument(batch, organizationId, customerId);
  const row = {
    ...described,
    id: newId(),
    invoice_id: "invoiceId" in subject ? subject.invoiceId : null,
    credit_note_id: "creditNoteId" in subject ? subject.creditNoteId : null,
    header: JSON.stringify(header),
    created_at: at,
  };
  await insertDocuments(batch, organizationId, [row]);
}
