/** The texts that the template shows, final and in order. The template knows nothing about billing. */
export type Part = { label: string; units: string; unitPrice: string; amount: string };

export type Line = {
  name: string;
  /** Small print below the name. */
  details: readonly string[];
  units: string;
  unitPrice: string;
  taxRate: string;
  amount: string;
  /** The parts that add up to the amount. */
  parts: readonly Part[];
};

/** With its size in pixels. The image itself is a file next to the template. */
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
  /** The most important amount, in large print. */
  headline: string;
  columns: readonly [string, string, string, string, string];
  sections: readonly { heading: string; lines: readonly Line[] }[];
  totals: readonly { label: string; amount: string; isMain: boolean }[];
  notes: readonly string[];
  footer: string;
  /** Contains `{page}` and `{pages}`, which only the template knows. */
  pageNumber: string;
};
