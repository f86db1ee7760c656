/**
 * `npm run release -- VERSION`: makes the commit and the tag of a release, and stops before anything leaves this machine.
 * `--dry-run` shows what it would do. `--notes` prints what the release changed.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { givenDatabaseUrl } from "../packages/server/src/main/config.ts";
import { systemClock } from "../packages/server/src/platform/clock.ts";
import { createTemporaryDatabase } from "../packages/server/src/platform/postgres/temporary-database.ts";
import { changesOf, closeSection, unreleasedChanges } from "./release/changelog.ts";
import { recordFolder, writeRecord } from "./release/record.ts";
import { readSchemaLines } from "./release/schema-lines.ts";
import { compareVersions, isVersion, listManifests, readVersion, setVersion } from "./release/versions.ts";

const ROOT = join(import.meta.dirname, "..");
const BRANCH = "main";
const USAGE = "npm run release -- VERSION [--dry-run | --notes], such as npm run release -- 0.2.0";

const { values, positionals } = parseArgs({
  options: { "dry-run": { type: "boolean", default: false }, notes: { type: "boolean", default: false } },
  allowPositionals: true,
});

async function main([version, ...rest]: readonly string[]): Promise<number> {
  if (version === undefined || rest.length > 0 || !isVersion(version)) return fail([USAGE], 2);
  if (values.notes) return printNotes(version);
  const faults = findFaults(version);
  if (faults.length > 0)
    return fail([`Nothing was changed. ${version} cannot be released yet:`, ...faults.map(asItem)]);
  if (values["dry-run"]) console.log(describePlan(version));
  else await release(version);
  return 0;
}

function fail(lines: readonly string[], code = 1): number {
  console.error(lines.join("\n"));
  return code;
}

const asItem = (line: string): string => `- ${line}`;
const tagOf = (version: string): string => `v${version}`;
const subjectOf = (version: string): string => `chore(release): ${version}`;
const readChangelog = (): string => readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
}

function printNotes(version: string): number {
  const changes = changesOf(readChangelog(), version);
  if (changes === undefined) return fail([`CHANGELOG.md has no section for ${version}.`]);
  console.log(changes);
  return 0;
}

/** Why the release cannot be made now, all at once. */
function findFaults(version: string): string[] {
  const [branch, last] = [git("branch", "--show-current"), readVersion(ROOT)];
  const faults: readonly (readonly [boolean, string])[] = [
    [branch !== BRANCH, `The branch is ${branch || "none"}. Releases are made on ${BRANCH}: git switch ${BRANCH}`],
    [git("status", "--porcelain") !== "", "There are changes that are not committed: git status shows them."],
    [compareVersions(version, last) <= 0, `The last version is ${last}. Choose a higher one.`],
    [
      unreleasedChanges(readChangelog()) === "",
      'CHANGELOG.md has nothing under "Unreleased". Say what changes for users.',
    ],
    [git("tag", "--list", tagOf(version)) !== "", `The tag ${tagOf(version)} exists.`],
  ];
  return faults.filter(([isFault]) => isFault).map(([, message]) => message);
}

function describePlan(version: string): string {
  const lines = unreleasedChanges(readChangelog()).split("\n").length;
  return [
    `Release of ${version}, last version ${readVersion(ROOT)}. Without --dry-run, this command would:`,
    ...[
      `set the version in ${listManifests(ROOT).join(", ")} and package-lock.json`,
      "run npm run generate, because the API description names the version",
      `close the section of CHANGELOG.md as "${version} – ${today()}" (${lines} lines)`,
      `write ${recordFolder(version)}: API description, schema of a fresh database, checksums of both and of the migrations`,
      `commit "${subjectOf(version)}" and tag it ${tagOf(version)}`,
    ].map(asItem),
    "It would not push and not publish. Nothing was changed.",
  ].join("\n");
}

const today = (): string => systemClock.now().toZonedDateTimeISO("UTC").toPlainDate().toString();

async function release(version: string): Promise<void> {
  try {
    setVersion(ROOT, version);
    writeFileSync(join(ROOT, "CHANGELOG.md"), closeSection(readChangelog(), version, today()));
    execFileSync(process.execPath, ["scripts/generate.ts"], { cwd: ROOT, stdio: "inherit" });
    for (const path of writeRecord(ROOT, version, await readFreshSchema())) console.log(`wrote ${path}`);
    git("add", "--all");
    git("commit", "--quiet", "--message", subjectOf(version));
    git("tag", "--annotate", tagOf(version), "--message", `Tallystick ${version}`);
  } catch (error) {
    console.error(
      `The release was not finished. To undo it: git reset --hard ${git("rev-parse", "HEAD")} && git clean -d releases`,
    );
    throw error;
  }
  console.log(describeNextSteps(version));
}

async function readFreshSchema(): Promise<string[]> {
  const database = await createTemporaryDatabase(givenDatabaseUrl());
  try {
    return await readSchemaLines(database.url);
  } finally {
    await database.remove();
  }
}

const describeNextSteps = (version: string): string => `
Committed "${subjectOf(version)}" and tagged it ${tagOf(version)}. Nothing was pushed and nothing was published.

What a person with accounts on GitHub and npm does next:

1. Run all checks on this commit:
     .ci/run
2. Only for a package that npm does not have yet, because npm cannot trust a workflow for a package that does not exist:
     npm login
     npm run pack
     npm publish --access public .data/packages/tallystick-${version}.tgz
     npm publish --access public .data/packages/tallystick-client-${version}.tgz
   Then, in the settings of each package on npm, add a trusted publisher: GitHub Actions, tallystick/tallystick, release.yml.
3. Push the commit and the tag. The tag starts .github/workflows/release.yml, which checks, packs, publishes what npm lacks, and
   makes the release on GitHub:
     git push --atomic origin ${BRANCH} ${tagOf(version)}

To undo this instead, before step 2: git tag --delete ${tagOf(version)} && git reset --hard HEAD~1`;

process.exitCode = await main(positionals);
