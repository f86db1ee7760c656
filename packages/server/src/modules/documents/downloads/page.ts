/** What the template shows: every text as it is to be read, in its order. The template knows nothing of billing. */
export type Part = { label: string; units: string; unitPrice: string; amount: string };

export type Line = {
  name: string;
  /** Below the name, in small. */
  details: readonly string[];
  units: string;
  unitPrice: string;
  taxRate: string;
  amount: string;
  /** What the amount is added up from. */
  parts: readonly Part[];
};

/** With its size in dots; the picture itself is a file beside the template. */
export type PageWithLogo = Page & { logo: { width: number; height: number } | null };

export type Page = {
  locale: string;
  paper: "a4" | "us-letter";
  title: string;
  number: string;
  date: { year: number; month: number; day: number };
  facts: readonly { label: string; value: string }[];
  seller: { label: string; name: string; lines: readonly string[] };
  buyer: { label: string; name: string; lines: readonly string[] };
  /** The amount that matters most, in large. */
  headline: string;
  columns: readonly [string, string, string, string, string];
  sections: readonly { heading: string; lines: readonly Line[] }[];
  totals: readonly { label: string; amount: string; isMain: boolean }[];
  notes: readonly string[];
  footer: string;
  /** With `{page}` and `{pages}`, which only the template knows. */
  pageNumber: string;
};
