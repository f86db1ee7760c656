/** Seller and buyer on a document. */
import type { DocumentHeader, Party } from "../documents/index.ts";
import type { Formats } from "./formats.ts";
import type { Page } from "./page.ts";
import { fill, type Words } from "./words/index.ts";

type Speech = { words: Words; formats: Formats };

export const partiesOf = (
  header: DocumentHeader,
  buyerLabel: string,
  speech: Speech,
): Pick<Page, "seller" | "buyer"> => ({
  seller: shown(header.seller, speech.words.from, speech),
  buyer: shown(header.buyer, buyerLabel, speech),
});

/** The seller's country decides the paper size. */
export const paperOf = ({ seller }: DocumentHeader): Page["paper"] =>
  seller.country === "US" || seller.country === "CA" ? "us-letter" : "a4";

function shown(party: Party, label: string, { words, formats }: Speech): Page["seller"] {
  const name = present(party.legal_name) ?? present(party.name) ?? "";
  const lines = [
    present(party.name) === name ? undefined : party.name,
    party.address_line1,
    party.address_line2,
    cityLine(party),
    party.country && formats.country(party.country),
    party.email,
    party.legal_number && fill(words.legalNumber, { number: party.legal_number }),
    party.tax_identification_number && fill(words.taxNumber, { number: party.tax_identification_number }),
  ];
  return { label, name, lines: lines.flatMap((line) => present(line) ?? []) };
}

/** "Springfield, IL 62704" in some countries, "75001 Paris" in others. */
function cityLine({ city, state, zipcode, country }: Party): string {
  const isCityFirst = ["US", "CA", "AU", "GB", "IN", "NZ"].includes(country ?? "");
  const region = [state, zipcode].flatMap((part) => present(part) ?? []).join(" ");
  if (isCityFirst) return [city, region].flatMap((part) => present(part) ?? []).join(", ");
  const place = [zipcode, city].flatMap((part) => present(part) ?? []).join(" ");
  return [place, state].flatMap((part) => present(part) ?? []).join(", ");
}

const present = (text: string | null | undefined): string | undefined => text?.trim() || undefined;
