/** Which compiler draws documents, and to which standard. */
import { createRequire } from "node:module";
import type { NodeCompiler } from "@myriaddreamin/typst-ts-node-compiler";

/** The newest compiler writes tags for screen readers. It exists for Linux on x64; elsewhere the previous one draws without tags. */
export function loadCompilers(): { compilers: typeof NodeCompiler; pdfStandard: "a-3a" | "a-3b" } {
  const load = createRequire(import.meta.url);
  try {
    return { compilers: load("typst-with-tags").NodeCompiler, pdfStandard: "a-3a" };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    return { compilers: load("@myriaddreamin/typst-ts-node-compiler").NodeCompiler, pdfStandard: "a-3b" };
  }
}
