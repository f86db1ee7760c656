/** The sellers and buyers of the samples, and their settings. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PNG } from "pngjs";
import type { Studio } from "./studio.ts";

type Members = Record<string, unknown>;

/** Returns the path of a document. */
export type Sample = (studio: Studio) => Promise<string>;

export const BERLIN = {
  legal_name: "Seller & Söhne GmbH",
  legal_number: "HRB 12345 B",
  tax_identification_number: "DE123456789",
  address_line1: "Hauptstraße 1",
  address_line2: null,
  zipcode: "10115",
  city: "Berlin",
  state: null,
  country: "DE",
  email: "billing@seller.example",
};
export const SPRINGFIELD = {
  ...BERLIN,
  legal_name: "Prairie Metering, Inc.",
  legal_number: null,
  tax_identification_number: "12-3456789",
  address_line1: "742 Evergreen Terrace",
  zipcode: "62704",
  city: "Springfield",
  state: "IL",
  country: "US",
};
export const BUYER = {
  name: "Ærø Trading",
  legal_name: "Ærø Trading ApS",
  tax_identification_number: "DK87654321",
  address_line1: "Vestergade 7",
  zipcode: "5970",
  city: "Ærøskøbing",
  country: "DK",
  net_payment_term: 30,
  metadata: [{ key: "PO number", value: "PO-4711", display_in_invoice: true }],
};
const FOOTER =
  "Bank: DE02 1203 0000 0000 2020 51, BIC BYLADEM1001. Late payment bears interest of 9 points above the base rate.";

export const sellAs = ({ must }: Studio, seller: Members, footer: string | null = FOOTER) =>
  must("PUT", "/organizations", {
    organization: { ...seller, billing_configuration: { invoice_footer: footer } },
  });
/** From a local server that the studio trusts. */
export async function showLogo({ must, drain }: Studio, width: number, height: number): Promise<void> {
  const picture = new PNG({ width, height });
  for (const [at] of picture.data.entries())
    picture.data[at] = at % 4 === 3 ? 255 : Math.floor((255 * (at % (width * 4))) / (width * 4));
  const server = createServer((_, answer) => answer.end(PNG.sync.write(picture)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const logo_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await must("PUT", "/organizations", { organization: { billing_configuration: { logo_url } } });
  await drain();
  server.close();
  server.closeAllConnections();
}
export const addTax = ({ must }: Studio, code: string, members: Members) =>
  must("POST", "/taxes", { tax: { code, ...members } });
export const speaking = (document_locale: string) => ({ billing_configuration: { document_locale } });

export const tiers = (...list: [number, number | null, string, string][]) =>
  list.map(([from_value, to_value, per_unit_amount, flat_amount]) => ({
    from_value,
    to_value,
    per_unit_amount,
    flat_amount,
  }));
