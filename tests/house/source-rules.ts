// Rules on where code may use what.

import type { Rule, SourceFile, Violation } from "./rule.ts";
import { codeOf, importsOf, isCode, isGenerated, isSuite, isTest, occurrences } from "./source-text.ts";

/** The service has one, and what runs elsewhere, which shares no code with it. */
const CLOCKS = [
  "packages/server/src/platform/clock.ts",
  "packages/client/src/clock.ts",
  "packages/cli/src/clock.ts",
  "packages/console/src/api/clock.ts",
];
/** The command line passes on what it reads. */
const CONFIGS = ["packages/server/src/main/config.ts", "packages/cli/src/io.ts"];
const OUTBOUND_HTTP = "packages/server/src/platform/outbound-http";

const environmentOnlyInConfig: Rule = {
  name: "environment-only-in-config",
  reason: "Only main/config.ts reads the environment, so that every setting is documented, checked and passed down.",
  check: (files) =>
    files
      .filter(
        (file) => isCode(file) && file.path.startsWith("packages/") && !CONFIGS.includes(file.path) && !isTest(file),
      )
      .flatMap((file) => [
        ...occurrences(file, codeOf(file), /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\s*\[|\bimport\.meta\.env\b/g),
        ...importsOf(file)
          .filter(({ from, clause }) => /^(node:)?process$/.test(from) && /\benv\b/.test(clause))
          .map(({ line }) => ({ path: file.path, line, found: "import { env }" })),
      ]),
};

/** The second one loads packages that are not in the bundle. */
const KNOW_THEIR_PLACE = ["platform/assets", "platform/pdf/load-compilers"].map(
  (file) => `packages/server/src/${file}.ts`,
);

const placesOnlyInAssets: Rule = {
  name: "places-only-in-assets",
  reason: "Only platform/assets.ts knows where files lie: in the published package, no file lies beside its code.",
  check: (files) =>
    files
      .filter((file) => isCode(file) && file.path.startsWith("packages/server/src/") && !isTest(file))
      .filter(({ path }) => !KNOW_THEIR_PLACE.includes(path) && !path.includes("/testing/"))
      .flatMap((file) => occurrences(file, codeOf(file), /\bimport\.meta\.(dirname|filename|url)\b/g)),
};

const nowOnlyInClock: Rule = {
  name: "now-only-in-clock",
  reason: "Only platform/clock.ts knows the time; ask the injected clock, or a test clock cannot move this code.",
  check: (files) =>
    files
      .filter((file) => isCode(file) && !CLOCKS.includes(file.path))
      .flatMap((file) =>
        occurrences(
          file,
          codeOf(file),
          /\bnew\s+Date\b|(?<![.\w])Date\s*[.(]|\bglobalThis\.Date\b|\bTemporal\s*\.\s*Now\b/g,
        ),
      ),
};

const noDefaultExports: Rule = {
  name: "no-default-exports",
  reason: "A default export has another name in every file that imports it, so it cannot be searched for.",
  check: (files) =>
    files
      .filter((file) => isCode(file) && !/\.config\.ts$/.test(file.path))
      .flatMap((file) => occurrences(file, codeOf(file), /\bexport\s+default\b|\bexport\s*\{[^}]*\bas\s+default\b/g)),
};

const erasableSyntax: Rule = {
  name: "erasable-syntax",
  reason: "Node runs the sources by erasing types: enum and namespace make code. Use a union of literals or a file.",
  check: (files) =>
    files
      .filter((file) => isCode(file) && !file.path.endsWith(".d.ts"))
      .flatMap((file) =>
        occurrences(
          file,
          codeOf(file),
          /^[ \t]*(export\s+)?(declare\s+)?((const\s+)?enum\s+\w+|(namespace|module)\s+[\w.]+)\s*\{/gm,
        ),
      ),
};

const HARMLESS_OF_HTTP = /^(createServer|Server|STATUS_CODES|METHODS|type\s.*)$/;

/** Importing a type or a server opens no connection; anything else from these packages can. */
function mayCallOut({ from, clause }: { from: string; clause: string }): boolean {
  if (clause.startsWith("type ")) return false;
  if (/^undici(\/|$)/.test(from)) return true;
  const names = /^\{([^}]*)\}$/.exec(clause)?.[1]?.split(",") ?? ["*"];
  const isHarmless = names.map((name) => name.trim()).every((name) => name === "" || HARMLESS_OF_HTTP.test(name));
  return /^(node:)?(http|https|http2)$/.test(from) && !isHarmless;
}

const outboundHttpOnly: Rule = {
  name: "outbound-http-only",
  reason:
    "Requests leave through platform/outbound-http, which refuses private addresses: a webhook URL is a stranger's.",
  check: (files) =>
    files
      .filter((file) => isCode(file) && file.path.startsWith("packages/server/") && !isTest(file))
      .filter((file) => !file.path.startsWith("packages/server/src/testing/"))
      .filter((file) => !file.path.startsWith(`${OUTBOUND_HTTP}/`) && file.path !== `${OUTBOUND_HTTP}.ts`)
      // To a socket of the service itself.
      .filter((file) => file.path !== "packages/server/src/platform/processes/forward.ts")
      .flatMap((file) => [
        ...occurrences(file, codeOf(file), /(?<![.\w])fetch\s*\(|\bglobalThis\.fetch\b/g),
        ...importsOf(file)
          .filter(mayCallOut)
          .map(({ from, line }) => ({ path: file.path, line, found: `import from ${from}` })),
      ]),
};

const noInlineImportTypes: Rule = {
  name: "no-inline-import-types",
  reason:
    "dependency-cruiser does not see import(…) in a type, so it would pass the dependency rule: write import type.",
  check: (files) =>
    files
      .filter((file) => isCode(file) && !isGenerated(file))
      .flatMap((file) =>
        occurrences(
          file,
          codeOf(file),
          /\btypeof\s+import\s*\(|\bimport\s*\([^)]*\)\s*\.\s*[A-Z]|[:=|&<]\s*import\s*\([^)]*\)\s*\[/g,
        ),
      ),
};

const wholeSuite: Rule = {
  name: "whole-suite-runs",
  reason: "A skipped or focused test proves nothing: fix it or delete it.",
  check: (files) =>
    files
      .filter(isSuite)
      .flatMap((file) =>
        occurrences(file, codeOf(file), /\.\s*(only|skip)\s*[(.`]|\b(xit|xtest|xdescribe|fit|fdescribe)\s*\(/g),
      ),
};

const sleepsIn = (file: SourceFile): Violation[] => [
  ...occurrences(file, codeOf(file), /\bnew\s+Promise\b[^;]{0,200}?\bsetTimeout\b/g),
  ...importsOf(file)
    .filter(({ from }) => /^(node:)?timers\/promises$/.test(from))
    .map(({ from, line }) => ({ path: file.path, line, found: `import from ${from}` })),
];

const noSleeps: Rule = {
  name: "no-sleeps-in-tests",
  reason:
    "A sleep is too long on a fast machine and too short on a slow one: drain the queue, or advance the test clock.",
  check: (files) => files.filter(isSuite).flatMap(sleepsIn),
};

const batchIsPassedOn: Rule = {
  name: "batch-is-passed-on",
  reason: "alone(batch.tx) runs a statement for each piece of a batch, where passing the batch runs one for all.",
  check: (files) =>
    files
      .filter((file) => isCode(file) && !isTest(file))
      .flatMap((file) => occurrences(file, codeOf(file), /\balone\(\s*batch\.tx\s*\)/g)),
};

export const sourceRules: readonly Rule[] = [
  environmentOnlyInConfig,
  placesOnlyInAssets,
  nowOnlyInClock,
  noDefaultExports,
  erasableSyntax,
  outboundHttpOnly,
  noInlineImportTypes,
  wholeSuite,
  noSleeps,
  batchIsPassedOn,
];
