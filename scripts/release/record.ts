/** What a release keeps in `releases/VERSION/`, so that later checks compare with it without a tag. */
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareVersions, isVersion } from "./versions.ts";

const FOLDER = "releases";
const CHECKSUMS = "SHA256SUMS";
const DESCRIPTION = "docs/reference/openapi.json";
const MIGRATIONS = "packages/server/src/platform/*/migrations/*/up.sql";

export const recordFolder = (version: string): string => `${FOLDER}/${version}`;

/** The versions that have a record, oldest first. */
export function listReleases(root: string): string[] {
  const folder = join(root, FOLDER);
  return existsSync(folder) ? readdirSync(folder).filter(isVersion).sort(compareVersions) : [];
}

const checksumOf = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

/** As `sha256sum` prints them, so that it can check them. */
const checksumLines = (folder: string, paths: readonly string[]): string =>
  paths.map((path) => `${checksumOf(join(folder, path))}  ${path}\n`).join("");

/** Returns the paths of the files. */
export function writeRecord(root: string, version: string, schemaLines: readonly string[]): string[] {
  const folder = join(root, recordFolder(version));
  mkdirSync(folder, { recursive: true });
  const migrations = globSync(MIGRATIONS, { cwd: root }).map((path) => path.replaceAll("\\", "/"));
  const files = {
    "migrations.sha256": checksumLines(root, migrations.sort()),
    "openapi.json": readFileSync(join(root, DESCRIPTION), "utf8"),
    "schema.txt": schemaLines.map((line) => `${line}\n`).join(""),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, CHECKSUMS), checksumLines(folder, Object.keys(files)));
  return [...Object.keys(files), CHECKSUMS].map((name) => `${recordFolder(version)}/${name}`);
}

/** Files of the record that are gone or are not as they were released. */
export const changedFilesOf = (root: string, version: string): string[] =>
  changedFiles(join(root, recordFolder(version)), CHECKSUMS);

/** Migrations of the release that are gone or are not as they were released. */
export const changedMigrationsOf = (root: string, version: string): string[] =>
  changedFiles(root, `${recordFolder(version)}/migrations.sha256`);

function changedFiles(folder: string, checksums: string): string[] {
  const lines = readFileSync(join(folder, checksums), "utf8").trimEnd().split("\n");
  const expected = lines.map((line) => line.split("  ", 2) as [checksum: string, path: string]);
  return expected
    .filter(([checksum, path]) => !existsSync(join(folder, path)) || checksumOf(join(folder, path)) !== checksum)
    .map(([, path]) => path);
}

export const readReleasedDescription = (root: string, version: string): string =>
  readFileSync(join(root, recordFolder(version), "openapi.json"), "utf8");

export const readReleasedSchema = (root: string, version: string): string[] =>
  readFileSync(join(root, recordFolder(version), "schema.txt"), "utf8")
    .trimEnd()
    .split("\n");
