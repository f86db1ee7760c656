/** The sections of `CHANGELOG.md`. */

const UNRELEASED = "## Unreleased";

/** The text between a heading of a version and the next one. Undefined: there is no such heading. */
function findSection(changelog: string, isHeading: (line: string) => boolean): string | undefined {
  const lines = changelog.split("\n");
  const begin = lines.findIndex(isHeading);
  if (begin === -1) return undefined;
  const length = lines.slice(begin + 1).findIndex((line) => line.startsWith("## "));
  const end = length === -1 ? lines.length : begin + 1 + length;
  return lines
    .slice(begin + 1, end)
    .join("\n")
    .trim();
}

/** What `Unreleased` says; empty if it says nothing. */
export const unreleasedChanges = (changelog: string): string =>
  findSection(changelog, (line) => line === UNRELEASED) ?? "";

/** What a release changed, as its page shows it. */
export const changesOf = (changelog: string, version: string): string | undefined =>
  findSection(changelog, (line) => line === `## ${version}` || line.startsWith(`## ${version} `));

/** What was unreleased is in this release. The next changes have an empty section above it. */
export const closeSection = (changelog: string, version: string, date: string): string =>
  changelog.replace(`${UNRELEASED}\n`, `${UNRELEASED}\n\n## ${version} – ${date}\n`);
