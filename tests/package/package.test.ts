// The package `tallystick` as it is published: packed, installed into an empty folder outside of the repository, and used.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { beforeAll, expect, test } from "vitest";
import { makeFirstInvoice } from "../../bench/package/first-invoice.ts";
import { writeNotices } from "../../scripts/pack/notices.ts";
import { packServer } from "../../scripts/pack/server.ts";
import { readLockfile } from "../../scripts/pack/third-party.ts";
import {
  closeAfterTest,
  descendantsOf,
  freePort,
  livingOf,
  openProcess,
  privateTemporaryFolder,
  root,
} from "../doors/door.ts";

const WITHIN_MS = 180_000;

const temporary = privateTemporaryFolder();
const project = join(temporary.path, "project");
const installed = join(project, "node_modules/tallystick");
/** The Node of the repository, because the machine may have another. */
const PATH = [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter);
let tarball: string;

beforeAll(async () => {
  tarball = await packServer(join(temporary.path, "packed"));
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), "{}");
  // Whatever the lockfile of the repository has is in the cache of npm.
  const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", ["install", ...options, tarball], {
    cwd: project,
    stdio: "ignore",
    env: { ...process.env, PATH },
  });
}, WITHIN_MS);

const tallystick = (args: readonly string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, [join(installed, "bin/tallystick.cjs"), ...args], {
    encoding: "utf8",
    cwd: project,
    env: { PATH, HOME: temporary.path, ...env },
  });
const readInstalled = (file: string): string => readFileSync(join(installed, file), "utf8");
const codeOf = () =>
  readdirSync(join(installed, "dist"))
    .filter((file) => file.endsWith(".js"))
    .map((file) => readInstalled(join("dist", file)))
    .join("\n");

test("it runs from a folder outside of the repository: an invoice, its PDF, the console, and nothing is left when it stops", async () => {
  const port = await freePort();
  const env = { PATH, PORT: String(port), TMPDIR: temporary.path };
  const dev = closeAfterTest(openProcess(join(project, "node_modules/.bin/tallystick"), ["dev"], env, project));
  await dev.prints("stderr", /Server listening/, WITHIN_MS);
  const key = /Demo key {3}(tsk_\w+)/.exec(dev.stdout())?.[1] ?? "";
  const url = `http://127.0.0.1:${port}`;
  expect(await makeFirstInvoice(url, key)).toEqual({ cents: 5412, pdf: "%PDF-" });
  const tail = tallystick(["events", "tail", "--no-follow"], { TALLYSTICK_URL: url, TALLYSTICK_API_KEY: key });
  expect(tail.stdout, tail.stderr).toMatch(/\bt1\b/);
  const page = await fetch(`${url}/sign-in`, { headers: { accept: "text/html" } });
  expect(page.headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-/,
  );
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1] ?? "";
  expect((await fetch(`${url}${script}`)).headers.get("cache-control")).toContain("immutable");
  const pids = [dev.pid, ...descendantsOf(dev.pid)];
  expect(livingOf(pids).join("\n")).toContain("postgres");
  dev.signal("npm");
  expect(await dev.ends(WITHIN_MS)).toMatchObject({ code: 0 });
  expect(livingOf(pids)).toEqual([]);
  expect(temporary.leftovers()).toEqual([]);
  expect(readdirSync(project).sort()).toEqual([".tallystick", "node_modules", "package-lock.json", "package.json"]);
  // The lock of Postgres.
  expect(existsSync(join(project, ".tallystick/postgres/data/postmaster.pid"))).toBe(false);
});

test("it is the command line of the reference, and says its version", () => {
  expect(tallystick(["--version"]).stdout).toBe(`${JSON.parse(readInstalled("package.json")).version}\n`);
  const reference = readFileSync(join(root, "docs/reference/cli.md"), "utf8");
  const commands = Array.from(reference.matchAll(/^#+ `?tallystick (\w+)/gm), ([, name = ""]) => name);
  expect(commands.length).toBeGreaterThan(15);
  const help = tallystick(["--help"]).stdout;
  for (const name of new Set(commands)) expect(help).toMatch(new RegExp(`^  ${name}\\b`, "m"));
});

test("messages name commands as they are called from the package", () => {
  const { stderr } = tallystick(["keys", "list", "--organization="], { DATABASE_URL: "postgres://127.0.0.1:1/none" });
  expect(stderr).toMatch(/tallystick keys create +--organization ORG/);
  // Those of libraries are about their own development.
  const commands =
    /npm (run )?(-s )?(start|dev|sandbox|migrate|organizations|users|keys|billing|usage|verify|secrets|trail)\b/;
  expect(commands.exec(codeOf())).toBeNull();
});

/** Makes Node believe that it is older. */
const pretendOldNode = (): readonly string[] => {
  const file = join(project, "old-node.cjs");
  writeFileSync(file, 'Object.defineProperty(process.versions, "node", { value: "18.20.8" });');
  return ["--require", file];
};

test("on an older Node, it says how to run with a newer one, and uses one that is installed beside it", () => {
  const shim = [...pretendOldNode(), join(installed, "bin/tallystick.cjs"), "nothing"];
  const alone = spawnSync(process.execPath, shim, { encoding: "utf8", cwd: project });
  expect(alone.status).toBe(1);
  expect(alone.stderr).toMatch(/needs Node 26 or later; this is Node 18\.20\.8/);
  expect(alone.stderr).toMatch(/^ {2}npx -p node-\S+@26 -p tallystick tallystick nothing$/m);
  const name = readdirSync(join(root, "node_modules")).find((entry) => /^node-(bin-)?(linux|darwin|win)-/.test(entry));
  symlinkSync(join(root, "node_modules", name ?? ""), join(project, "node_modules", name ?? ""));
  const beside = spawnSync(process.execPath, shim, { encoding: "utf8", cwd: project });
  expect(beside.stderr).not.toContain("needs Node");
  expect(beside.status).toBe(2);
});

test("publint has nothing to say, and there are no types that could be wrong", async () => {
  expect((await publint({ pkgDir: installed, strict: true })).messages).toEqual([]);
  expect((await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))))).types).toBe(false);
});

test("it contains no path of this machine, no source and no test", () => {
  expect(codeOf().includes(root)).toBe(false);
  const files = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).trim().split("\n");
  const expected =
    /^package\/(README\.md|LICENSE|package\.json|sbom\.cdx\.json|THIRD-PARTY-NOTICES\.txt|bin\/tallystick\.cjs|dist\/[\w-]+\.js|dist\/assets\/[\w/-]+\.(sql|typ|ttf|txt))$/;
  const ofConsole =
    /^package\/dist\/console\/(index\.html|scheme\.js|mark\.svg|assets\/[\w.-]+\.(css|js|woff2)(\.(br|gz))?)$/;
  expect(files.filter((file) => !expected.test(file) && !ofConsole.test(file))).toEqual([]);
  expect(files).toContain("package/dist/console/index.html");
  expect(readFileSync(tarball).length).toBeLessThan(7_000_000);
});

type Sbom = { components: { name: string; version: string; scope: string; "bom-ref": string; licenses: object[] }[] };

test("the bill of materials lists what is inside and what is installed beside it, and every package that ours need", () => {
  const { components }: Sbom = JSON.parse(readInstalled("sbom.cdx.json"));
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
  const lock = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")).packages as ReturnType<
    typeof readLockfile
  >;
  const beside = Object.entries(lock)
    .filter(([place]) => place !== "" && place !== "node_modules/tallystick")
    .map(([place, { name, version }]) => `${name ?? place.split("node_modules/").at(-1)}@${version}`);
  const outside = components.filter(({ scope }) => scope === "optional");
  expect(outside.map(({ name, version }) => `${name}@${version}`).sort()).toEqual(beside.sort());
  const repository = readLockfile();
  const direct = ["packages/server", "packages/cli"]
    .flatMap((place) => Object.keys(repository[place]?.dependencies ?? {}))
    .filter((name) => !name.startsWith("@tallystick/"));
  const names = new Set(components.map(({ name }) => name));
  // Types only: nothing of it is in the code.
  const missing = direct.filter((name) => !names.has(name) && name !== "@fastify/type-provider-typebox");
  expect(missing).toEqual([]);
  expect(listed.size).toBeGreaterThan(direct.length);
});

test("the bundle contains what the server, the console and the command line need at run time, and nothing that is only for development", () => {
  const { components }: Sbom = JSON.parse(readInstalled("sbom.cdx.json"));
  const inside = components.filter(({ scope }) => scope === "required").map((component) => placeOf(component));
  const needed = closureOf("packages/server", "packages/cli", "packages/console");
  expect(inside.filter((place) => !needed.has(place))).toEqual([]);
  expect(inside.length).toBeGreaterThan(needed.size / 2);
});

const placeOf = (component: Sbom["components"][number]): string => component["bom-ref"].split("#")[1] ?? "";

/** The places in the lockfile of all that our packages need, directly or not. */
function closureOf(...packages: readonly string[]): ReadonlySet<string> {
  const lockfile = readLockfile();
  const found = new Set<string>();
  const visit = (from: string): void => {
    const { dependencies, optionalDependencies } = lockfile[from] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const folders = from.split("/").map((_, index, parts) => parts.slice(0, parts.length - index).join("/"));
      const places = [...folders.map((folder) => `${folder}/node_modules/${name}`), `node_modules/${name}`];
      const place = places.find((each) => lockfile[each]);
      const target = place && lockfile[place]?.link ? `packages/${name.replace("@tallystick/", "")}` : place;
      if (target === undefined || found.has(target)) continue;
      found.add(target);
      visit(target);
    }
  };
  for (const place of packages) visit(place);
  return found;
}

const TERMS =
  /Permission is hereby granted|Permission to use|Redistribution and use|Apache License|Blue Oak Model License/;

test("every package inside has the text of a permissive license in the notices", () => {
  const [intro, ...notices] = readInstalled("THIRD-PARTY-NOTICES.txt").split(/^={5} /m);
  const { components }: Sbom = JSON.parse(readInstalled("sbom.cdx.json"));
  const inside = components.filter(({ scope }) => scope === "required");
  expect(notices.map((notice) => notice.split("\n")[0])).toEqual(
    inside.map(({ name, version }) => `${name} ${version}`),
  );
  const PERMISSIVE = /\nLicense: (MIT|MIT-0|0BSD|ISC|Apache-2\.0|BSD-3-Clause|BSD-2-Clause|BlueOak-1\.0\.0|OFL-1\.1)\n/;
  expect(notices.filter((notice) => !PERMISSIVE.test(notice))).toEqual([]);
  expect([intro, ...notices].filter((notice = "") => !TERMS.test(notice))).toEqual([]);
  expect(notices.filter((notice) => !/copyright|blue oak|public domain/i.test(notice))).toEqual([]);
});

test("a package whose license asks for more than its text is refused, and so is one without a text", () => {
  const component = { place: "node_modules/pg", name: "pg", version: "1.0.0", sha512: "", isInside: true };
  expect(() => writeNotices([{ ...component, license: "AGPL-3.0-only" }])).toThrow(/pg has the license AGPL-3\.0-only/);
  const without = { ...component, place: "node_modules/abstract-logging", name: "abstract-logging" };
  expect(() => writeNotices([{ ...without, license: "ISC" }])).toThrow(/no text of its license, ISC/);
  expect(writeNotices([{ ...without, license: "MIT" }])).toContain(
    "Copyright (c) James Sumners\n\nPermission is hereby",
  );
});
