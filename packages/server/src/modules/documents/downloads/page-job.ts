/** What the renderer needs for a page: the template of its version, its texts, and the logo. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { assetPath } from "../../../platform/assets.ts";
import type { PdfJob } from "../../../platform/pdf/render-pdf.ts";
import type { Logo } from "../logos/index.ts";
import type { Page, PageWithLogo } from "./page.ts";

/** Templates by the version that a document was issued with. */
const TEMPLATES: Readonly<Record<number, string>> = {
  1: readFileSync(assetPath("invoiceTemplate1"), "utf8"),
};

export function jobOfPage(page: Page, { version, logo }: { version: number; logo: Logo | null }): PdfJob {
  const template = TEMPLATES[version];
  assert(template, "a document has a template");
  const day = Temporal.PlainDate.from(page.date).toZonedDateTime("UTC");
  const data: PageWithLogo = { ...page, logo: logo ? { width: logo.width, height: logo.height } : null };
  const files = logo ? { "/logo.png": logo.image } : {};
  return { template, data, files, createdAtSeconds: day.epochMilliseconds / 1000 };
}
