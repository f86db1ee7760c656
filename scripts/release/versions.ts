/** One version for all packages, and for the lockfile. */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Manifest = {
  version: string;
  workspaces?: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
};
type Lockfile = { version: string; packages: Record<string, Manifest & { link?: boolean }> };

const OURS = "@tallystick/";

const readJson = <Value>(root: string, path: string): Value => JSON.parse(readFileSync(join(root, path), "utf8"));

const writeJson = (root: string, path: string, value: unknown): void =>
  writeFileSync(join(root, path), `${JSON.stringify(value, null, 2)}\n`);

export const readVersion = (root: string): string => readJson<Manifest>(root, "package.json").version;

/** The manifests of the repository: its own and those of its workspaces. */
export function listManifests(root: string): string[] {
  const { workspaces = [] } = readJson<Manifest>(root, "package.json");
  const found = workspaces.flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: root }));
  return ["package.json", ...found.map((path) => path.replaceAll("\\", "/")).sort()];
}

export function setVersion(root: string, version: string): void {
  const manifests = listManifests(root);
  for (const path of manifests) writeJson(root, path, withVersion(readJson<Manifest>(root, path), version));
  const lockfile = readJson<Lockfile>(root, "package-lock.json");
  const packages = { ...lockfile.packages };
  for (const path of manifests) {
    const place = path.replace(/\/?package\.json$/, "");
    const locked = packages[place];
    if (!locked) throw new Error(`package-lock.json does not have ${place}. Run "npm install" and commit it first.`);
    packages[place] = withVersion(locked, version);
  }
  writeJson(root, "package-lock.json", { ...lockfile, version, packages });
}

/** Its own version, and those of our packages that it needs. Members stay in their order, so that a diff shows versions only. */
function withVersion<Of extends Manifest>(manifest: Of, version: string): Of {
  const changed = { ...manifest, version };
  for (const section of ["dependencies", "devDependencies"] as const) {
    const names = manifest[section];
    if (names) changed[section] = mapVersions(names, version);
  }
  return changed;
}

const mapVersions = (names: Readonly<Record<string, string>>, version: string): Record<string, string> =>
  Object.fromEntries(Object.entries(names).map(([name, of]) => [name, name.startsWith(OURS) ? version : of]));

const NUMBERS = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

export const isVersion = (text: string): boolean => NUMBERS.test(text);

/** Negative if the first is lower. */
export function compareVersions(first: string, second: string): number {
  const [of, and] = [first, second].map((version) => version.split(".").map(Number));
  const difference = of?.map((number, index) => number - (and?.[index] ?? 0)).find((each) => each !== 0);
  return difference ?? 0;
}
