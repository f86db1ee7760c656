/** Taxes by rate with their taxable amounts, and the reason if no tax is charged. Tax law requires both. */
import { decimal } from "@tallystick/core/money";
import type { Speech } from "./fee-lines.ts";
import type { Page } from "./page.ts";
import { fill } from "./words/index.ts";

type ShownTax = { tax_name: string; tax_rate: number; base: bigint; amount_cents: bigint };

export const taxTotals = (
  taxes: readonly ShownTax[],
  { words, formats }: Pick<Speech, "words" | "formats">,
): Page["totals"] =>
  taxes.map(({ tax_name: name, tax_rate, base, amount_cents }) => ({
    label: fill(words.taxLine, { name, rate: formats.rate(decimal(String(tax_rate))), base: formats.amount(base) }),
    amount: formats.amount(amount_cents),
    isMain: false,
  }));

/** The description of a tax with rate 0, such as "Reverse charge" or the article that exempts. */
export const taxNotes = (taxes: readonly { tax_rate: number; tax_description: string | null }[]): string[] =>
  taxes.flatMap(({ tax_rate, tax_description }) => (tax_rate === 0 && tax_description ? [tax_description] : []));
