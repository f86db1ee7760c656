// Rules that keep the security pages and the supply chain true.

import type { Rule, SourceFile, Violation } from "./rule.ts";
import { isCode, isTest, occurrences } from "./source-text.ts";

const PAGES = /^docs\/security\/[\w-]+\.md$/;
const at = (path: string, line: number, found: string): Violation => ({ path, line, found });

type Shown = { line: number; path: string; title: string | undefined };

/** `path` "title" in a page: a test. Paths begin at the root or in the sources of the server. */
const shownIn = ({ text }: SourceFile): Shown[] =>
  text.split("\n").flatMap((line, index) =>
    [...line.matchAll(/`([\w./-]+\.ts)`(?: "([^"]+)")?/g)].map(([, path = "", title]) => ({
      line: index + 1,
      path,
      title,
    })),
  );

const namedTestsExist: Rule = {
  name: "named-tests-exist",
  reason:
    'docs/security names what shows each claim: a test as `path` "title", or a file, and both exist. If you rename a test, rename it there.',
  check: (files) =>
    files
      .filter(({ path }) => PAGES.test(path))
      .flatMap((page) =>
        shownIn(page).flatMap(({ line, path, title }) => {
          const file = files.find((one) => one.path === path || one.path === `packages/server/src/${path}`);
          if (!file) return [at(page.path, line, `${path} does not exist`)];
          if (path.endsWith(".test.ts") && title === undefined)
            return [at(page.path, line, `${path} is named without a title`)];
          const isThere = title === undefined || file.text.includes(`"${title}"`) || file.text.includes(`'${title}'`);
          return isThere ? [] : [at(page.path, line, `${path} has no test "${title}"`)];
        }),
      ),
};

const rowsOf = (text: string): { line: number; cells: string[] }[] =>
  text.split("\n").flatMap((line, index) => {
    const cells = line.startsWith("| ") ? line.slice(1, -1).split("|") : [];
    return cells.length === 0 ? [] : [{ line: index + 1, cells: cells.map((cell) => cell.trim()) }];
  });

/** As it is read: without links and marks, in one line. */
const plain = (text: string): string =>
  text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[*`]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();

const MEASURES = "docs/security/measures.md";

/** The sentences and rows of a section, without the words in bold that paragraphs begin with. "See …" is no claim. */
function claimsOf(text: string, heading: string): string[] {
  const section = `\n${text}`.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const sentences = section
    .replaceAll(/^\|.*$|\*\*[^*]+\*\*/gm, "")
    .split("\n\n")
    .flatMap((paragraph) => paragraph.split(/(?<=[.:])\s+(?=[A-Z`[])/).map(plain));
  const rows = rowsOf(section)
    .slice(1)
    .map(({ cells }) => `${plain(cells[0] ?? "")}: ${plain(cells.slice(1).join(" "))}`);
  return [...sentences, ...rows].filter((claim) => claim !== "" && !claim.startsWith("See "));
}

const everyMeasureIsShown: Rule = {
  name: "every-measure-is-shown",
  reason: `Each sentence under "Measures" in SECURITY.md is in ${MEASURES} with what shows it, so that no promise stays when its test goes.`,
  check: (files) => {
    const security = files.find(({ path }) => path === "SECURITY.md");
    const measures = files.find(({ path }) => path === MEASURES);
    if (!security) return [];
    const table = plain(measures?.text ?? "");
    const unshown = claimsOf(security.text, "Measures").filter((claim) => !table.includes(claim));
    const unproven = rowsOf(measures?.text ?? "").filter(({ cells }) => !/`|^Shown by$/.test(cells.at(-1) ?? ""));
    return [
      ...unshown.map((claim) => at("SECURITY.md", 1, claim)),
      ...unproven.map(({ line, cells }) => at(MEASURES, line, cells[0] ?? "")),
    ];
  },
};

type Entry = { integrity?: string; resolved?: string; link?: boolean; hasInstallScript?: boolean; name?: string };

/** npm wrote them without one, and its registry does not have them everywhere. Only macOS and Linux on ARM use them, for development. */
const WITHOUT_INTEGRITY = ["darwin-arm64", "darwin-x64", "linux-arm64-gnu"].map(
  (platform) => `node_modules/@chdb/lib-${platform}`,
);

const parse = <T>(file: SourceFile | undefined): Partial<T> => (file ? (JSON.parse(file.text) as T) : {});

const wholeLockfile: Rule = {
  name: "whole-lockfile",
  reason:
    "Every entry of package-lock.json comes from the registry and has its sha512 (npm view NAME@VERSION dist.integrity), and each install script is judged in allowScripts.",
  check: (files) => {
    const find = (path: string) => files.find((file) => file.path === path);
    const { packages = {} } = parse<{ packages: Record<string, Entry> }>(find("package-lock.json"));
    const { allowScripts = {} } = parse<{ allowScripts: Record<string, boolean> }>(find("package.json"));
    return Object.entries(packages).flatMap(([place, entry]) => {
      if (!place.includes("node_modules/") || entry.link) return [];
      const faults: string[] = [];
      const mayLack = WITHOUT_INTEGRITY.includes(place);
      if (mayLack && entry.integrity) faults.push(`${place} has an integrity now: take it off the list of exceptions`);
      if (!mayLack && !entry.integrity?.startsWith("sha512-")) faults.push(`${place} has no sha512`);
      if (entry.resolved !== undefined) faults.push(`${place} comes from ${entry.resolved}`);
      const name = entry.name ?? place.split("node_modules/").at(-1) ?? "";
      if (entry.hasInstallScript && !(name in allowScripts))
        faults.push(`${place} has a script that nobody has judged`);
      return faults.map((found) => at("package-lock.json", 1, found));
    });
  },
};

/** Each passes a constant of ours: a type, a migration, a digit. */
const RAW_SQL = ["http/page-of", "platform/postgres/migrate", "platform/postgres/pooler-safety", "modules/usage/store"];

const sqlIsBound: Rule = {
  name: "sql-is-bound",
  reason:
    "Values reach Postgres as parameters: sql.raw, sql.lit and sql.id are for constants, in files that the rule names.",
  check: (files) =>
    files
      .filter((file) => isCode(file) && file.path.startsWith("packages/server/src/") && !isTest(file))
      .filter(({ path }) => !RAW_SQL.some((allowed) => path === `packages/server/src/${allowed}.ts`))
      .flatMap((file) => occurrences(file, file.text, /\bsql\.(raw|lit|id)\b[^\n]*/g)),
};

export const securityRules: readonly Rule[] = [namedTestsExist, everyMeasureIsShown, wholeLockfile, sqlIsBound];
