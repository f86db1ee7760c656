/** The parties of a document at the time of issue. Later changes to them do not affect it. */

import type { OrganizationRow } from "../../accounts/index.ts";
import type { ApiCustomer } from "../../customers/index.ts";
import type { DocumentRow } from "./store.ts";

/** The version of the layout. A document keeps the version that it was issued with. */
export const TEMPLATE_VERSION = 1;

export type Party = {
  name: string | null;
  legal_name: string | null;
  legal_number: string | null;
  tax_identification_number: string | null;
  email: string | null;
  address_line1: string | null;
  address_line2: string | null;
  city: string | null;
  state: string | null;
  zipcode: string | null;
  country: string | null;
};

export type DocumentHeader = {
  seller: Party;
  buyer: Party;
  /** Custom lines for the customer's documents, such as an order number. */
  metadata: readonly { key: string; value: string }[];
  footer: string | null;
};

export const headerOf = (organization: OrganizationRow, customer: ApiCustomer): DocumentHeader => ({
  seller: partyOf(organization),
  buyer: { ...partyOf(customer), name: customer.name ?? customer.external_id },
  metadata: customer.metadata
    .filter(({ display_in_invoice }) => display_in_invoice)
    .map(({ key, value }) => ({ key, value })),
  footer: organization.invoice_footer,
});

/** What a document is drawn with, whether it is issued or not. */
export type Drawn = Pick<DocumentRow, "locale" | "template_version" | "logo_digest"> & { header: unknown };

export const headerIn = ({ header }: Pick<Drawn, "header">): DocumentHeader => header as DocumentHeader;

const partyOf = (party: Party): Party => ({
  name: party.name,
  legal_name: party.legal_name,
  legal_number: party.legal_number,
  tax_identification_number: party.tax_identification_number,
  email: party.email,
  address_line1: party.address_line1,
  address_line2: party.address_line2,
  city: party.city,
  state: party.state,
  zipcode: party.zipcode,
  country: party.country,
});
