/** Texts that the explanations of several models share. */
import { readableText, readExact } from "../money/index.ts";

/** "100 × 0.012345 = 1.2345" */
export const product = (one: string, other: string): string =>
  `${one} × ${other} = ${readableText(readExact(one).times(readExact(other)))}`;

/** " + 2", or nothing for a flat amount of 0. */
export const flatText = (flat: string): string => (flat === "0" ? "" : ` + ${flat}`);
