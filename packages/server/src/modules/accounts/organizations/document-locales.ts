/** The languages of documents: which can be set, and which have words. */
import { oneOf } from "../../../http/fields.ts";

const ISO_639_1 = `
  aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et
  eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk
  kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny
  oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk
  tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu`;

/** Two languages are written differently in another country. */
const DOCUMENT_LOCALES = [...ISO_639_1.trim().split(/\s+/), "pt-BR", "zh-TW"];

/** The languages that documents have words for. */
const DRAWN_LOCALES: readonly string[] = ["en", "fr", "de", "es", "it", "nb", "sv"];

export const documentLocale = () =>
  oneOf(DOCUMENT_LOCALES, {
    "x-code": "not_a_valid_language_code",
    description: `ISO 639-1, pt-BR or zh-TW. Documents have words for ${DRAWN_LOCALES.join(", ")}; others are drawn in English`,
  });

/** A document is in one language: English words with the dates of another one would mislead. */
export const drawnLocale = (locale: string): string => (DRAWN_LOCALES.includes(locale) ? locale : "en");

export const localeWarnings = (locale: string): string[] =>
  DRAWN_LOCALES.includes(locale) ? [] : [`document_locale ${locale} has no words yet: documents are drawn in English`];
