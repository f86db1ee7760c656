/** The size of core in a browser: bundled, minified and compressed (gzip), all stages and each alone. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";

const CORE = join(import.meta.dirname, "../packages/core");

export async function measureBundle() {
  const { exports } = JSON.parse(readFileSync(join(CORE, "package.json"), "utf8")) as {
    exports: Record<string, string>;
  };
  const sizes: Record<string, { bytes: number; gzip: number }> = { all: await bundle(Object.values(exports)) };
  for (const [stage, file] of Object.entries(exports)) sizes[stage.slice(2)] = await bundle([file]);
  return { sizes };
}

/** Every export of these doors, as a browser would load them. */
async function bundle(files: readonly string[]): Promise<{ bytes: number; gzip: number }> {
  const entry = join(CORE, "every-stage.js");
  const source = files
    .map((file, index) => `export * as stage${index} from ${JSON.stringify(join(CORE, file))};`)
    .join("\n");
  const result = await build({
    configFile: false,
    logLevel: "error",
    root: CORE,
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? source : null),
      },
    ],
    build: { write: false, minify: true, target: "esnext", lib: { entry, formats: ["es"], fileName: "core" } },
  });
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((one) => ("output" in one ? one.output : []));
  const code = outputs.map((chunk) => (chunk.type === "chunk" ? chunk.code : "")).join("");
  return { bytes: Buffer.byteLength(code), gzip: gzipSync(code).byteLength };
}
