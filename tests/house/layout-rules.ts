// Rules on the existence, names and lengths of files.

import type { Rule, SourceFile, Violation } from "./rule.ts";
import { isCode, isGenerated, isTest } from "./source-text.ts";

const MODULES = "packages/server/src/modules";
const MIGRATIONS = ["postgres", "clickhouse"].map((store) => `packages/server/src/platform/${store}/migrations`);

const linesOf = (file: SourceFile): number => file.text.trimEnd().split("\n").length;

/** The folders directly under `parent`. */
function foldersIn(files: readonly SourceFile[], parent: string): string[] {
  const inside = files.filter((file) => file.path.startsWith(`${parent}/`));
  const names = inside.map((file) => file.path.slice(parent.length + 1).split("/"));
  return [...new Set(names.filter((parts) => parts.length > 1).map((parts) => `${parent}/${parts[0]}`))].sort();
}

/** Folders that need a README. */
function ownedFolders(files: readonly SourceFile[]): string[] {
  const layers = foldersIn(files, "packages/server/src").filter((folder) => /\/(http|jobs|platform)$/.test(folder));
  return [...foldersIn(files, "packages/core/src"), ...foldersIn(files, MODULES), ...layers];
}

const missing = (path: string): Violation => ({ path, line: 1, found: "does not exist" });

const fileLength: Rule = {
  name: "file-length",
  reason: "A file over 400 lines (600 for a test or a story) is about two things: split it by what it does.",
  check: (files) =>
    files
      .filter((file) => isCode(file) && !isGenerated(file) && linesOf(file) > (isTest(file) ? 600 : 400))
      .map((file) => ({ path: file.path, line: linesOf(file), found: `${linesOf(file)} lines` })),
};

const ANYTHING = /^(utils?|helpers?|services?|managers?|types?|common|misc)$|-(utils?|helpers?|service|manager)$/;

const bannedNames: Rule = {
  name: "banned-names",
  reason: "A name that fits anything collects everything: name the file by its noun or by the verb it does.",
  check: (files) =>
    files.filter(isCode).flatMap((file) => {
      const stems = file.path.split("/").map((part) => part.split(".")[0] ?? "");
      const banned = stems.filter((stem) => ANYTHING.test(stem));
      return banned.map((found) => ({ path: file.path, line: 1, found }));
    }),
};

const folderReadme: Rule = {
  name: "folder-readme",
  reason: "Each stage, module and layer says in a README.md what it owns, what it does not own and its invariants.",
  check: (files) => {
    const paths = new Set(files.map((file) => file.path));
    const readmes = ownedFolders(files).map((folder) => `${folder}/README.md`);
    return readmes.filter((readme) => !paths.has(readme)).map(missing);
  },
};

const readmeLength: Rule = {
  name: "readme-length",
  reason: "The README of a folder has 10 to 60 lines: less says nothing, more is not read.",
  check: (files) => {
    const readmes = new Set(ownedFolders(files).map((folder) => `${folder}/README.md`));
    return files
      .filter((file) => readmes.has(file.path) && (linesOf(file) < 10 || linesOf(file) > 60))
      .map((file) => ({ path: file.path, line: 1, found: `${linesOf(file)} lines` }));
  },
};

const moduleIndex: Rule = {
  name: "module-index",
  reason: "A module's index.ts is its door: without one, no reader knows what other modules may use.",
  check: (files) => {
    const paths = new Set(files.map((file) => file.path));
    const doors = foldersIn(files, MODULES).map((folder) => `${folder}/index.ts`);
    return doors.filter((door) => !paths.has(door)).map(missing);
  },
};

const migrationFolders: Rule = {
  name: "migration-folders",
  reason:
    "A migration is a folder NNNN-name with up.sql and notes.md, numbered 0001, 0002 … without gap or repeat: " +
    "two databases must run the same migrations in the same order, and an operator must know what each one costs.",
  check: (files) => {
    const paths = new Set(files.map((file) => file.path));
    const foldersOf = (parent: string) =>
      foldersIn(files, parent).map((folder, index) => ({ folder, name: folder.slice(parent.length + 1), index }));
    return MIGRATIONS.flatMap(foldersOf).flatMap(({ folder, name, index }) => {
      const number = String(index + 1).padStart(4, "0");
      const parts = [`${folder}/up.sql`, `${folder}/notes.md`].filter((path) => !paths.has(path)).map(missing);
      const misnamed = !new RegExp(`^${number}-[a-z0-9-]+$`).test(name);
      return misnamed ? [...parts, { path: folder, line: 1, found: `expected ${number}-name` }] : parts;
    });
  },
};

const EXACT = /^(npm:(@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.-]+)?$/;

/** The name and version pairs of a section; overrides may nest. */
function versionsIn(section: unknown): [string, string][] {
  if (typeof section !== "object" || section === null) return [];
  return Object.entries(section).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] satisfies [string, string]] : versionsIn(value),
  );
}

const exactVersions: Rule = {
  name: "exact-versions",
  reason: "Versions are exact: a range installs something else tomorrow than what was tested today.",
  check: (files) =>
    files
      .filter((file) => /(^|\/)package\.json$/.test(file.path))
      .flatMap((file) => {
        const manifest: Record<string, unknown> = JSON.parse(file.text);
        const sections = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "overrides"];
        const versions = sections.flatMap((section) => versionsIn(manifest[section]));
        const loose = versions.filter(([, version]) => !EXACT.test(version));
        return loose.map(([name, version]) => {
          const line = file.text.split("\n").findIndex((text) => text.includes(`"${name}": "${version}"`)) + 1;
          return { path: file.path, line, found: `${name} ${version}` };
        });
      }),
};

export const layoutRules: readonly Rule[] = [
  fileLength,
  bannedNames,
  folderReadme,
  readmeLength,
  moduleIndex,
  migrationFolders,
  exactVersions,
];
