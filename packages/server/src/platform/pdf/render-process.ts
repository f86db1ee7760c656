/** Draws PDFs, and pages for a screen, in a separate process, which has no environment and can be killed whatever the compiler does. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { assetPath } from "../assets.ts";
import { drawableWith, mapTexts } from "./drawable-text.ts";
import { readCoverage } from "./font-coverage.ts";
import { loadCompilers } from "./load-compilers.ts";
import { splitPages } from "./svg-pages.ts";

export type PdfJob = {
  /** Typst source. Always ours, never user input. */
  template: string;
  /** What the template shows. It reads this as data, so no text in it can be markup. */
  data: unknown;
  /** Images, by the absolute path that the template uses. */
  files?: Readonly<Record<string, Uint8Array>>;
  createdAtSeconds: number;
};
/** `pages`: each page as an SVG. It has no scripts and no styles, and texts are outlines. */
export type DrawJob = PdfJob & { as: "pdf" | "pages" };
export type DrawAnswer = { drawn: Buffer | string[]; memoryBytes: number } | { failure: string };

const FONTS = assetPath("fonts");
const fonts = readdirSync(FONTS)
  .filter((name) => name.endsWith(".ttf"))
  .sort()
  .map((name) => readFileSync(join(FONTS, name)));
const toDrawable = drawableWith(fonts.map(readCoverage));
const { compilers, pdfStandard } = loadCompilers();
const compiler = compilers.create({ workspace: FONTS, fontArgs: [{ fontBlobs: fonts }] });

function draw({ template, data, files = {}, createdAtSeconds, as }: DrawJob): DrawAnswer {
  const paths = Object.keys(files).map((path) => join(FONTS, path));
  try {
    for (const [path, content] of Object.entries(files)) compiler.mapShadow(join(FONTS, path), Buffer.from(content));
    const inputs = { data: JSON.stringify(mapTexts(data, toDrawable)) };
    const source = { mainFileContent: template, inputs };
    const options = { pdfStandard, creationTimestamp: createdAtSeconds };
    const drawn = as === "pdf" ? compiler.pdf(source, options) : splitPages(compiler.plainSvg(source));
    return { drawn, memoryBytes: process.memoryUsage.rss() };
  } catch (error) {
    // The compiler puts its message into `code`.
    const { code, message } = error as { code?: string; message?: string };
    return { failure: (code ?? message ?? String(error)).slice(0, 500) };
  } finally {
    for (const path of paths) compiler.unmapShadow(path);
    // The compiler's cache helps other documents only with their template.
    compiler.evictCache(2);
  }
}

process.on("message", (job: DrawJob) => void process.send?.(draw(job)));
// The parent process is gone.
process.on("disconnect", () => process.exit(0));
