/** The client as it is published: compiled, with a package.json whose entries are what was compiled. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packFolder } from "./tarball.ts";

const ROOT = join(import.meta.dirname, "../..");
const CLIENT = join(ROOT, "packages/client");

type Manifest = { exports: Record<string, string>; [name: string]: unknown };

/** Writes the package into the folder. */
function buildClient(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const options = ["-p", join(CLIENT, "tsconfig.build.json"), "--outDir", join(folder, "dist")];
  execFileSync(process.execPath, [tsc, ...options], { stdio: "inherit" });
  const { private: _, exports, ...manifest }: Manifest = JSON.parse(readFileSync(join(CLIENT, "package.json"), "utf8"));
  const published = { ...manifest, files: ["dist"], exports: mapValues(exports, builtEntry) };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
  cpSync(join(CLIENT, "README.md"), join(folder, "README.md"));
  cpSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
}

const builtEntry = (source: string) => ({
  types: source.replace("./src/", "./dist/").replace(/\.ts$/, ".d.ts"),
  default: source.replace("./src/", "./dist/").replace(/\.ts$/, ".js"),
});

const mapValues = <Value, Result>(members: Readonly<Record<string, Value>>, convert: (value: Value) => Result) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, convert(value)]));

/** Makes the tarball of npm, and returns its path. */
export function packClient(folder: string): string {
  const built = join(folder, "client");
  buildClient(built);
  return packFolder(built, folder);
}
