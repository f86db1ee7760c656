/** The npm package `tallystick`: the service and its commands, ready to run. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildConsole } from "../build/console.ts";
import { bundleServer, ROOT, STAYS_OUTSIDE } from "./bundle.ts";
import { writeNotices } from "./notices.ts";
import { packFolder } from "./tarball.ts";
import { findComponents, writeSbom } from "./third-party.ts";

type Dependencies = Readonly<Record<string, string>>;
type Manifest = {
  version: string;
  description: string;
  dependencies?: Dependencies;
  optionalDependencies?: Dependencies;
};

const readManifest = (path: string): Manifest => JSON.parse(readFileSync(join(ROOT, path, "package.json"), "utf8"));

const outsideOf = (dependencies: Dependencies = {}): Dependencies =>
  Object.fromEntries(Object.entries(dependencies).filter(([name]) => STAYS_OUTSIDE.test(name)));

/** Writes the package into the folder. */
async function buildServer(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const modules = await bundleServer(join(folder, "dist"));
  const ofConsole = await copyConsole(join(folder, "dist"));
  const { version, description } = readManifest(".");
  const server = readManifest("packages/server");
  const [dependencies, optionalDependencies] = [outsideOf(server.dependencies), outsideOf(server.optionalDependencies)];
  const manifest = {
    name: "tallystick",
    version,
    description,
    license: "Apache-2.0",
    repository: { type: "git", url: "git+https://github.com/tallystick/tallystick.git" },
    keywords: ["billing", "metering", "usage", "invoices", "self-hosted"],
    type: "module",
    bin: { tallystick: "./bin/tallystick.cjs" },
    exports: { "./package.json": "./package.json" },
    files: ["bin", "dist", "sbom.cdx.json", "THIRD-PARTY-NOTICES.txt"],
    // The program in bin also runs on older ones, where it says how to get this one.
    engines: { node: ">=26" },
    dependencies,
    optionalDependencies,
  };
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write("package.json", `${JSON.stringify(manifest, null, 2)}\n`);
  const components = findComponents(
    [...modules, ...ofConsole],
    Object.keys({ ...dependencies, ...optionalDependencies }),
  );
  write("sbom.cdx.json", writeSbom(version, components));
  write("THIRD-PARTY-NOTICES.txt", writeNotices(components));
  cpSync(join(ROOT, "scripts/pack/bin"), join(folder, "bin"), { recursive: true });
  cpSync(join(ROOT, "scripts/pack/package-readme.md"), join(folder, "README.md"));
  cpSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
}

/** Where platform/assets.ts finds it. */
async function copyConsole(dist: string): Promise<readonly string[]> {
  const { folder, modules } = await buildConsole();
  const notServed = join(folder, ".vite");
  cpSync(folder, join(dist, "console"), { recursive: true, filter: (source) => !source.startsWith(notServed) });
  return modules;
}

/** Makes the tarball of npm, and returns its path. */
export async function packServer(folder: string): Promise<string> {
  const built = join(folder, "tallystick");
  await buildServer(built);
  return packFolder(built, folder);
}
