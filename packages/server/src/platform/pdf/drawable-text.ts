/**
 * Text as the bundled fonts can draw it. PDF/A forbids a character without a glyph, so one emoji in a name would otherwise
 * be the end of the document.
 */
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const MISSING = "□";
const UNBROKEN_MAX = 34;
const BREAK_EVERY = 12;
/** Controls that are not line breaks, and those that turn the direction of text around: nothing that can be seen. */
const INVISIBLE = /[\p{Cc}\p{Cs}\u061C\u200B\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu;
/** Has an effect on its neighbors, and needs no glyph. */
const JOINERS = /\u200D|\u200C|\u00AD|[\uFE00-\uFE0F]/gu;

export type ToDrawable = (text: string) => string;

/** A grapheme is drawn by one font: its letter and its marks must be in the same. */
export function drawableWith(coverages: readonly ReadonlySet<number>[]): ToDrawable {
  const canDraw = (grapheme: string): boolean => {
    const codes = [...grapheme.replace(JOINERS, "")].map((character) => character.codePointAt(0) ?? 0);
    return coverages.some((coverage) => codes.every((code) => coverage.has(code)));
  };
  const drawn = (grapheme: string): string => {
    if (canDraw(grapheme)) return grapheme;
    const letter = grapheme.slice(0, String.fromCodePoint(grapheme.codePointAt(0) ?? 0).length);
    return canDraw(letter) ? letter : MISSING;
  };
  return (text) => {
    const lines = text.normalize("NFC").split(/\r\n|[\r\n\u0085\u2028\u2029]/);
    const drawnLines = lines.map((line) => drawLine(line, drawn));
    // Of several empty lines one is enough: a thousand of them would be pages of nothing.
    return drawnLines.filter((line, index) => line !== "" || drawnLines[index - 1] !== "").join("\n");
  };
}

function drawLine(line: string, drawn: (grapheme: string) => string): string {
  const words = line.replaceAll("\t", " ").replace(INVISIBLE, "").split(" ");
  return words.map((word) => withBreaks(graphemesOf(word).map(drawn))).join(" ");
}

const graphemesOf = (text: string): string[] => [...graphemes.segment(text)].map(({ segment }) => segment);

/** A word that is wider than a column may be broken; what people copy, such as an account number, stays in one piece. */
function withBreaks(word: readonly string[]): string {
  if (word.length <= UNBROKEN_MAX) return word.join("");
  return word
    .map((grapheme, index) => (index > 0 && index % BREAK_EVERY === 0 ? `\u200B${grapheme}` : grapheme))
    .join("");
}

/** All texts in plain data. */
export function mapTexts(value: unknown, toDrawable: ToDrawable): unknown {
  if (typeof value === "string") return toDrawable(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, toDrawable));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTexts(member, toDrawable)]));
}
