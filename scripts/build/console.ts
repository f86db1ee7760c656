/** Builds the console, and compresses each file beside itself. A build over its budget is an error: bytes are what a reader waits for. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";

const ROOT = join(import.meta.dirname, "../../packages/console");
const FOLDER = join(ROOT, "dist");
/** Smaller files grow, or fit into one packet anyway. */
const COMPRESSED_FROM_BYTES = 1024;

/** Bytes of gzip: what a browser reads before the first page, and for each page more. */
const BUDGETS = { script: 175_000, style: 20_000, part: 40_000, fonts: 90_000 };

type Entry = { file: string; isEntry?: boolean; imports?: string[]; dynamicImports?: string[]; css?: string[] };
type Manifest = Readonly<Record<string, Entry>>;
export type Size = { what: string; bytes: number; most: number };

/** `modules`: the files that are inside, by their absolute paths. */
type Built = { folder: string; sizes: Size[]; modules: readonly string[] };

export async function buildConsole(): Promise<Built> {
  const modules = modulesOf(await buildForProduction());
  compressAll(join(FOLDER, "assets"));
  const sizes = measure(JSON.parse(readFileSync(join(FOLDER, ".vite/manifest.json"), "utf8")));
  const tooLarge = sizes.filter(({ bytes, most }) => bytes > most);
  if (tooLarge.length > 0)
    throw new Error(
      tooLarge.map(({ what, bytes, most }) => `${what} has ${bytes} bytes, of at most ${most}.`).join("\n"),
    );
  return { folder: FOLDER, sizes, modules };
}

/** Whoever builds: in a test, React would come with everything that helps its developers. */
async function buildForProduction() {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = "production";
  try {
    return await build({ root: ROOT, logLevel: "warn" });
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

function modulesOf(built: Awaited<ReturnType<typeof build>>): string[] {
  if (!("output" in built)) throw new Error("The build has no output.");
  return built.output.flatMap((file) => (file.type === "chunk" ? Object.keys(file.modules) : []));
}

function compressAll(folder: string): void {
  for (const name of readdirSync(folder).filter((file) => /\.(css|js|svg)$/.test(file))) {
    const bytes = readFileSync(join(folder, name));
    if (bytes.length < COMPRESSED_FROM_BYTES) continue;
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, quality));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  }
}

function measure(manifest: Manifest): Size[] {
  const entry = Object.values(manifest).find(({ isEntry }) => isEntry);
  if (!entry) throw new Error("The build has no entry.");
  const first = reached(manifest, entry);
  return [
    { what: "script of the entry", bytes: sum(scripts(first)), most: BUDGETS.script },
    { what: "style of the entry", bytes: sum(styles(first)), most: BUDGETS.style },
    ...Object.values(manifest).flatMap((from) => partsAfter(manifest, from, first)),
    { what: "fonts of western languages", bytes: fontBytes(), most: BUDGETS.fonts },
  ];
}

/** Pages, and dialogs of a page: what each adds to what is there when it is asked for. */
function partsAfter(manifest: Manifest, from: Entry, first: Set<Entry>): Size[] {
  const before = new Set([...first, ...reached(manifest, from)]);
  return (from.dynamicImports ?? []).flatMap((name) => {
    const part = manifest[name];
    if (!part) return [];
    const entries = reached(manifest, part);
    const bytes = sum(without([...scripts(entries), ...styles(entries)], before));
    return [{ what: `part ${part.file}`, bytes, most: BUDGETS.part }];
  });
}

/** What is loaded with a file. */
function reached(manifest: Manifest, from: Entry, known = new Set<Entry>()): Set<Entry> {
  if (known.has(from)) return known;
  known.add(from);
  for (const name of from.imports ?? []) {
    const next = manifest[name];
    if (next) reached(manifest, next, known);
  }
  return known;
}

const scripts = (entries: Set<Entry>): string[] =>
  [...entries].map(({ file }) => file).filter((f) => f.endsWith(".js"));
const styles = (entries: Set<Entry>): string[] => [...new Set([...entries].flatMap(({ css = [] }) => css))];
const without = (files: readonly string[], first: Set<Entry>): string[] => {
  const loaded = new Set([...scripts(first), ...styles(first)]);
  return files.filter((file) => !loaded.has(file));
};
const sum = (files: readonly string[]): number =>
  files.reduce((total, file) => total + gzipSync(readFileSync(join(FOLDER, file)), { level: 9 }).length, 0);

/** Browsers load the parts of a font that a page has letters of. */
function fontBytes(): number {
  const names = readdirSync(join(FOLDER, "assets")).filter((name) => /-latin-wght-normal-.*\.woff2$/.test(name));
  return names.reduce((total, name) => total + readFileSync(join(FOLDER, "assets", name)).length, 0);
}
