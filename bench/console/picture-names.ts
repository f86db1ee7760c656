/** What a picture is called, and which of them pages of docs/ show. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Mode } from "../../tests/journeys/modes.ts";

const DOCS = join(import.meta.dirname, "../../docs");

export const GUIDE_PICTURES = join(DOCS, "images/console");

export const pictureName = (screen: string, mode: Mode): string => `${screen}-${mode.replace(" ", "-")}.png`;

export function picturesOfDocs(): ReadonlySet<string> {
  const pages = globSync("**/*.md", { cwd: DOCS }).map((page) => readFileSync(join(DOCS, page), "utf8"));
  const links = pages.flatMap((text) => Array.from(text.matchAll(/images\/console\/([\w-]+\.png)\)/g)));
  return new Set(links.map(([, name = ""]) => name));
}
