/**
 * Where files lie that are read or started at run time: beside the code in the repository, in the folder `assets` of the published package.
 * No other file knows. `scripts/pack` copies what `ASSETS` and `PROGRAMS` name.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** The published package is compiled. */
const isPackaged = !import.meta.filename.endsWith(".ts");

const SOURCES = join(import.meta.dirname, "..");

/** Files and folders, by their place below `src`. */
export const ASSETS = {
  postgres: "platform/postgres",
  clickhouseMigrations: "platform/clickhouse/migrations",
  fonts: "platform/pdf/fonts",
  invariants: "verify/invariants",
  commonPasswords: "modules/accounts/users/common-passwords.txt",
  invoiceTemplate1: "modules/documents/downloads/template-1.typ",
} as const;

/** What is started as a process or thread of its own. */
export const PROGRAMS = {
  start: "main/start",
  renderProcess: "platform/pdf/render-process",
  reencodeThread: "platform/images/reencode-thread",
} as const;

export const assetPath = (asset: keyof typeof ASSETS, ...below: readonly string[]): string =>
  join(isPackaged ? join(import.meta.dirname, "assets") : SOURCES, ASSETS[asset], ...below);

export const programPath = (program: keyof typeof PROGRAMS): string =>
  isPackaged
    ? join(import.meta.dirname, `${basename(PROGRAMS[program])}.js`)
    : join(SOURCES, `${PROGRAMS[program]}.ts`);

/** The console as `npm run build` makes it. */
export const consoleFolder = (): string =>
  isPackaged ? join(import.meta.dirname, "console") : join(SOURCES, "../../console/dist");

/** From a clone, the program that serves its pages from their sources. Undefined without the libraries for development. */
export function pagesInDevelopment(): string | undefined {
  const repository = join(SOURCES, "../../..");
  const hasLibraries = !isPackaged && existsSync(join(repository, "node_modules/vite"));
  return hasLibraries ? join(repository, "packages/console/dev-server.ts") : undefined;
}

/** Of this release. */
export const readVersion = (): string =>
  JSON.parse(readFileSync(join(isPackaged ? import.meta.dirname : SOURCES, "../package.json"), "utf8")).version;

/** For development: an edited source starts the service again, and data is kept in a folder that git ignores. */
export const reloadOptions: readonly string[] = isPackaged ? [] : ["--watch"];
export const developmentData = (): string =>
  isPackaged ? join(process.cwd(), ".tallystick") : join(SOURCES, "../../../.data");
