import { de } from "./de.ts";
import { en, type Words } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { it } from "./it.ts";
import { nb } from "./nb.ts";
import { sv } from "./sv.ts";

export type { Words } from "./en.ts";

const WORDS: Readonly<Record<string, Words>> = { de, en, es, fr, it, nb, sv };

export const wordsOf = (locale: string): Words => WORDS[locale] ?? en;

/** Fills the placeholders of "{rate} of {units}". Braces in the inserted values stay as they are. */
export const fill = (text: string, parts: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => parts[name] ?? whole);
