/** What others wrote of the published package, and its bill of materials (CycloneDX) for scanners. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./bundle.ts";

export type Component = {
  /** The folder below the root of the repository. */
  place: string;
  name: string;
  version: string;
  license: string;
  /** In hexadecimal; the lockfile has it. */
  sha512: string;
  isInside: boolean;
};

type Locked = {
  name?: string;
  version: string;
  license?: string;
  integrity?: string;
  link?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

export const readLockfile = (): Record<string, Locked> =>
  JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")).packages;

/** The packages whose modules are inside the bundle, and those that are installed beside it, for any platform. */
export function findComponents(modules: readonly string[], outside: readonly string[]): Component[] {
  const lockfile = readLockfile();
  const toComponent = (place: string, isInside: boolean): Component => {
    const locked = lockfile[place];
    if (!locked) throw new Error(`${place} is not in the lockfile`);
    const name = locked.name ?? nameOf(place);
    const sha512 = Buffer.from(locked.integrity?.replace("sha512-", "") ?? "", "base64").toString("hex");
    return { place, name, version: locked.version, license: locked.license ?? licenseOf(place), sha512, isInside };
  };
  const inside = [...new Set(modules.flatMap(placeOf))];
  const beside = closureOf(
    lockfile,
    outside.map((name) => placeFor(lockfile, "packages/server", name)),
  );
  const both = [
    ...inside.map((place) => toComponent(place, true)),
    ...beside.map((place) => toComponent(place, false)),
  ];
  return both.sort((a, b) => (a.place < b.place ? -1 : 1));
}

const nameOf = (place: string): string => place.split("node_modules/").at(-1) ?? place;

/** The folder of the package that a module belongs to, or none if it is ours. */
function placeOf(module: string): string[] {
  const path = module.replace(/^\0+/, "").slice(ROOT.length + 1);
  const place = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
  return module.includes(ROOT) && place !== undefined ? [place] : [];
}

/** As Node looks for a package: in the folder itself, then in those above. */
function placeFor(lockfile: Record<string, Locked>, from: string, name: string): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (lockfile[place]) return place;
    if (folder === "") throw new Error(`${from} needs ${name}, which is not in the lockfile`);
  }
}

function closureOf(lockfile: Record<string, Locked>, from: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (place: string): void => {
    if (found.has(place)) return;
    found.add(place);
    const { dependencies, optionalDependencies } = lockfile[place] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies }))
      visit(placeFor(lockfile, place, name));
  };
  for (const place of from) visit(place);
  return [...found];
}

const licenseOf = (place: string): string =>
  JSON.parse(readFileSync(join(ROOT, place, "package.json"), "utf8")).license ?? "UNKNOWN";

/** The same for the same lockfile: no time, no random number. */
export function writeSbom(version: string, components: readonly Component[]): string {
  const purlOf = (name: string, of: string): string => `pkg:npm/${name.replace("@", "%40")}@${of}`;
  const sbom = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        name: "tallystick",
        version,
        "bom-ref": purlOf("tallystick", version),
        purl: purlOf("tallystick", version),
        licenses: [{ license: { id: "Apache-2.0" } }],
      },
    },
    components: components.map(({ place, name, version: of, license, sha512, isInside }) => ({
      type: "library",
      name,
      version: of,
      // Two places can have the same package.
      "bom-ref": `${purlOf(name, of)}#${place}`,
      purl: purlOf(name, of),
      scope: isInside ? "required" : "optional",
      hashes: [{ alg: "SHA-512", content: sha512 }],
      licenses: [/ (OR|AND) /.test(license) ? { expression: license } : { license: { id: license } }],
      properties: [{ name: "tallystick:place", value: isInside ? "inside the bundle" : "installed beside it" }],
    })),
  };
  return `${JSON.stringify(sbom, null, 2)}\n`;
}
