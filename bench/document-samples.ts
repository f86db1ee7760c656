/** Writes very different documents into a folder for visual review: `pdftoppm -r 70 -png FILE NAME`. */
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SAMPLES } from "./documents/samples.ts";
import { inStudio } from "./documents/studio.ts";

export async function makeDocumentSamples() {
  const folder = await mkdtemp(join(tmpdir(), "tallystick-documents-"));
  const files = await inStudio(async (studio) => {
    const made: string[] = [];
    for (const [name, sample] of Object.entries(SAMPLES)) {
      const pdf = await studio.fetchPdf(await sample(studio));
      await writeFile(join(folder, `${name}.pdf`), pdf);
      made.push(`${name}.pdf ${pdf.length} bytes`);
    }
    return made;
  });
  return { folder, files };
}
