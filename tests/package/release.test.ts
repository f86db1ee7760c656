// `npm run release`: on a copy of the repository, so that nothing happens to this one.

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeAll, expect, test } from "vitest";
import { changedFilesOf, changedMigrationsOf, listReleases, readReleasedSchema } from "../../scripts/release/record.ts";
import { compareVersions } from "../../scripts/release/versions.ts";
import { privateTemporaryFolder, root } from "../doors/door.ts";

const temporary = privateTemporaryFolder();
const copy = join(temporary.path, "repository");
const person = (role: string) => ({ [`GIT_${role}_NAME`]: "Test", [`GIT_${role}_EMAIL`]: "test@tallystick.example" });
const env = {
  ...process.env,
  PATH: [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter),
  DATABASE_URL: "",
  ...person("AUTHOR"),
  ...person("COMMITTER"),
};
const git = (...args: string[]): string => execFileSync("git", args, { cwd: copy, encoding: "utf8", env }).trim();
const read = (path: string): string => readFileSync(join(copy, path), "utf8");
const release = (...args: string[]) =>
  spawnSync(process.execPath, ["scripts/release.ts", ...args], { cwd: copy, encoding: "utf8", env });

/** Higher than any. */
const VERSION = "99.1.0";
/** The commit before the test. */
let before: string;

beforeAll(() => {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const path of listed.split("\0").filter((name) => name !== "" && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(root, path), join(copy, path));
  }
  for (const folder of [".", "packages/server", "packages/cli", "tools/api-types"]) linkInstalled(folder);
  writeFileSync(join(copy, "CHANGELOG.md"), withAChange(read("CHANGELOG.md")));
  git("init", "--quiet", "--initial-branch", "main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "before");
  before = git("rev-parse", "HEAD");
});

afterEach(() => {
  git("switch", "--quiet", "main");
  git("reset", "--quiet", "--hard", before);
  git("clean", "--quiet", "--force", "-d");
  for (const tag of git("tag").split("\n").filter(Boolean)) git("tag", "--delete", tag);
});

/** Our own packages are those of the copy. */
function linkInstalled(folder: string): void {
  const installed = join(root, folder, "node_modules");
  if (!existsSync(installed)) return;
  mkdirSync(join(copy, folder, "node_modules"));
  for (const name of readdirSync(installed).filter((each) => each !== "@tallystick" && each !== ".cache"))
    symlinkSync(join(installed, name), join(copy, folder, "node_modules", name));
  const ours = join(installed, "@tallystick");
  if (existsSync(ours))
    cpSync(ours, join(copy, folder, "node_modules/@tallystick"), { recursive: true, verbatimSymlinks: true });
}

/** Right after a release there is none. */
const withAChange = (changelog: string): string =>
  changelog.replace("## Unreleased\n", "## Unreleased\n\n- A change for this test.\n");

test("it makes one commit and one tag with everything of a release, and says what a person does next", () => {
  const releasesBefore = listReleases(copy);
  const { status, stdout, stderr } = release(VERSION);
  expect(status, stderr).toBe(0);
  expect(git("status", "--porcelain")).toBe("");
  expect(git("rev-parse", "HEAD~1")).toBe(before);
  expect(git("log", "-1", "--format=%s")).toBe(`chore(release): ${VERSION}`);
  expect(git("tag", "--points-at", "HEAD")).toBe(`v${VERSION}`);

  const manifests = git("ls-files", "package.json", "packages/*/package.json", "tools/*/package.json").split("\n");
  expect(manifests.length).toBeGreaterThan(6);
  for (const path of manifests) expect(JSON.parse(read(path)), path).toMatchObject({ version: VERSION });
  const lockfile = JSON.parse(read("package-lock.json"));
  expect(lockfile.version).toBe(VERSION);
  for (const path of manifests)
    for (const section of ["version", "dependencies", "devDependencies", "optionalDependencies"])
      expect(lockfile.packages[path.replace(/\/?package\.json$/, "")][section], path).toEqual(
        JSON.parse(read(path))[section],
      );
  expect(JSON.parse(read("packages/server/package.json")).dependencies).toMatchObject({ "@tallystick/core": VERSION });

  const today = git("log", "-1", "--format=%cd", "--date=format-local:%Y-%m-%d");
  expect(read("CHANGELOG.md")).toContain(`## Unreleased\n\n## ${VERSION} – ${today}\n\n- A change for this test.\n`);
  expect(listReleases(copy)).toEqual([...releasesBefore, VERSION]);
  expect(JSON.parse(read(`releases/${VERSION}/openapi.json`)).info.version).toBe(VERSION);
  expect(readReleasedSchema(copy, VERSION)).toContain("row security public.events forced");
  expect(stdout).toContain("Nothing was pushed and nothing was published.");
  expect(stdout).toContain(`git push --atomic origin main v${VERSION}`);
});

test("the notes of a release are its section of the changelog", () => {
  writeFileSync(
    join(copy, "CHANGELOG.md"),
    `# Changelog\n\n## 99.2.0 – 2026-01-02\n\n- New.\n\n## 99.1.0 – 2026-01-01\n\n- Old.\n`,
  );
  expect(release("99.2.0", "--notes").stdout).toBe("- New.\n");
  expect(release("99.1.0", "--notes").stdout).toBe("- Old.\n");
  expect(release("99.0.0", "--notes")).toMatchObject({
    status: 1,
    stderr: "CHANGELOG.md has no section for 99.0.0.\n",
  });
});

test("a dry run says what would happen and changes nothing", () => {
  const { status, stdout } = release(VERSION, "--dry-run");
  expect(status).toBe(0);
  expect(stdout).toContain("packages/server/package.json, ");
  expect(stdout).toContain(`commit "chore(release): ${VERSION}" and tag it v${VERSION}`);
  expect(git("rev-parse", "HEAD")).toBe(before);
  expect(git("status", "--porcelain")).toBe("");
});

const REFUSALS: Readonly<Record<string, readonly [prepare: () => void, version: string, message: RegExp]>> = {
  "another branch": [() => git("switch", "--quiet", "--create", "other"), VERSION, /branch is other/],
  "changes that are not committed": [() => writeFileSync(join(copy, "new.txt"), ""), VERSION, /not committed/],
  "the version of the last release": [() => {}, "0.0.0", /Choose a higher one/],
  "no change for users": [
    () => {
      const lines = read("CHANGELOG.md").replace(/(## Unreleased\n)[\s\S]*?(?=\n## |$)/, "$1");
      writeFileSync(join(copy, "CHANGELOG.md"), lines);
      git("commit", "--quiet", "--all", "--message", "no change");
    },
    VERSION,
    /nothing under "Unreleased"/,
  ],
  "a tag that exists": [() => git("tag", "v99.3.0"), "99.3.0", /tag v99\.3\.0 exists/],
};

test.each(Object.entries(REFUSALS))("it refuses %s", (_name, [prepare, version, message]) => {
  prepare();
  const head = git("rev-parse", "HEAD");
  const { status, stderr } = release(version);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Nothing was changed/);
  expect(stderr).toMatch(message);
  expect(stderr.trim().split("\n")).toHaveLength(2);
  expect(git("rev-parse", "HEAD")).toBe(head);
});

test("what is no version is refused with the usage", () => {
  for (const args of [[], ["1.0"], ["1.0.0-beta"], ["01.0.0"], ["1.0.0", "2.0.0"]])
    expect(release(...args)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("npm run release -- VERSION"),
    });
});

test("a file of a record and a migration that were changed or deleted are found", () => {
  const folder = join(copy, "releases", VERSION);
  const migrations = "packages/server/src/platform/postgres/migrations";
  const sumOf = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");
  const sums = (paths: readonly string[], from: string): string =>
    paths.map((path) => `${sumOf(join(from, path))}  ${path}\n`).join("");
  mkdirSync(folder, { recursive: true });
  const [first = "", second = ""] = readdirSync(join(copy, migrations)).map((name) => `${migrations}/${name}/up.sql`);
  writeFileSync(join(folder, "schema.txt"), "one\n");
  writeFileSync(join(folder, "openapi.json"), "{}\n");
  writeFileSync(join(folder, "migrations.sha256"), sums([first, second], copy));
  writeFileSync(join(folder, "SHA256SUMS"), sums(["schema.txt", "openapi.json", "migrations.sha256"], folder));
  expect(changedFilesOf(copy, VERSION)).toEqual([]);
  expect(changedMigrationsOf(copy, VERSION)).toEqual([]);
  writeFileSync(join(folder, "schema.txt"), "two\n");
  git("rm", "--quiet", "--force", first);
  writeFileSync(join(copy, second), `${read(second)}\n`);
  expect(changedFilesOf(copy, VERSION)).toEqual(["schema.txt"]);
  expect(changedMigrationsOf(copy, VERSION)).toEqual([first, second]);
});

test("versions are compared by their numbers", () => {
  expect(["0.10.0", "0.9.1", "1.0.0", "0.9.0"].sort(compareVersions)).toEqual(["0.9.0", "0.9.1", "0.10.0", "1.0.0"]);
});
