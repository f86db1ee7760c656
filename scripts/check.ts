/**
 * `npm run check`: what a contributor waits for. `-- --changed`: static checks, and the tests next to files changed since main.
 * `-- --all`: everything, as CI runs it. Ends with the test counts.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";

const RESULTS = ".data/test-results.json";
/** The number of cores of a contributor's smallest machine. */
const AT_ONCE = 2;

/** The longest first, so that none runs alone at the end. */
const STATIC: ReadonlyArray<readonly [name: string, command: string, ...args: string[]]> = [
  // Together with the server, because its users load most of it anyway.
  ["types: server and the rest", "tsc", "-p", "."],
  ["format and lint", "biome", "check", "."],
  ["generated files", "node", "scripts/generate.ts", "--check"],
  ["dead code", "knip"],
  ["dependency rule", "depcruise", "."],
  ["types: console", "tsc", "-p", "packages/console"],
  ["types: client without Node", "tsc", "-p", "packages/client"],
  ["types: core", "tsc", "-p", "packages/core"],
  ["types: second opinion", "tsc", "-p", "packages/second-opinion"],
];

/** Short forms of campaigns that every contributor runs; `--all` adds the others, and stories on both stores. */
const CAMPAIGNS = ["agreement", "credit-races", "crash-points", "guards", "value-faults", "in-parts"];

/** Tests by folder, for the seconds at the end. */
const SHARES = [
  "packages/cli",
  "packages/client",
  "packages/core",
  "packages/console",
  "packages/server/src/modules",
  "packages/server/src",
  "tests/journeys",
  "tests/stories",
  "tests/prove",
  "tests",
  "tools",
];

const { values } = parseArgs({
  options: { all: { type: "boolean", default: false }, changed: { type: "boolean", default: false } },
});

process.exitCode = await main();

async function main(): Promise<number> {
  const isStaticFine = await runStatic();
  const tests = testsToRun();
  if (tests === undefined) {
    console.log("\nno tests are next to the changed files");
    return isStaticFine ? 0 : 1;
  }
  const begun = performance.now();
  console.log("\n── tests");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${RESULTS}`];
  const { status } = spawnSync("vitest", ["run", ...reporters, ...tests], { stdio: "inherit" });
  console.log(`── tests: ${status === 0 ? "passed" : "FAILED"} in ${secondsSince(begun)}`);
  tellResults();
  return isStaticFine && status === 0 && runOnOldestPostgres() ? 0 : 1;
}

/** A list of server tests; the whole is `npm run test:postgres -- 15`. */
function runOnOldestPostgres(): boolean {
  if (!values.all) return true;
  const begun = performance.now();
  const { status } = spawnSync("node", ["scripts/test-postgres.ts", "15", "--named"], { stdio: "inherit" });
  console.log(`── tests on Postgres 15: ${status === 0 ? "passed" : "FAILED"} in ${secondsSince(begun)}`);
  return status === 0;
}

/** Each check prints its output when it is done, so that outputs do not mix. */
async function runStatic(): Promise<boolean> {
  const begun = performance.now();
  const waiting = [...STATIC];
  let isFine = true;
  const work = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const [name, command, ...args] = step;
      const stepBegun = performance.now();
      const { code, output } = await run(command, args);
      const verdict = `── ${name}: ${code === 0 ? "passed" : "FAILED"} in ${secondsSince(stepBegun)}`;
      console.log(code === 0 ? verdict : `\n${output}\n${verdict}`);
      if (code !== 0) isFine = false;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  console.log(`── static checks: ${isFine ? "passed" : "FAILED"} in ${secondsSince(begun)}`);
  return isFine;
}

function run(command: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

/** The arguments of vitest; undefined: no tests. */
function testsToRun(): string[] | undefined {
  if (values.changed) return testsBesideChanges();
  if (values.all) return [];
  const campaigns = readdirSync("tests/prove").filter(
    (file) => file.endsWith(".test.ts") && CAMPAIGNS.some((name) => file.startsWith(name)),
  );
  return [
    ...["client", "core", "server", "house"].flatMap((project) => ["--project", project]),
    ...["packages/", "tests/client/", "tests/house/", "tests/docs/", "tests/doors/", "tools/"],
    ...campaigns.map((file) => `tests/prove/${file}`),
  ];
}

/** Tests in the folders that differ from main, committed or not, and the house rules. */
function testsBesideChanges(): string[] | undefined {
  const base = git("merge-base", "HEAD", "main") || "HEAD";
  const changed = [git("diff", "--name-only", base), git("ls-files", "--others", "--exclude-standard")]
    .join("\n")
    .split("\n")
    .filter((path) => /\.(ts|sql)$/.test(path) && existsSync(path));
  const folders = [...new Set(changed.map((path) => dirname(path)))];
  const tests = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith(".test.ts"))
      .map((file) => `${folder}/${file}`),
  );
  if (changed.length === 0) return undefined;
  return [
    "--project",
    "client",
    "--project",
    "core",
    "--project",
    "server",
    "--project",
    "house",
    "--project",
    "stories",
  ].concat(tests, "tests/house/tidy.test.ts");
}

function git(...args: string[]): string {
  return spawnSync("git", args, { encoding: "utf8" }).stdout.trim();
}

type Results = {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { name: string; startTime: number; endTime: number }[];
};

function tellResults(): void {
  const { numPassedTests, numFailedTests, testResults }: Results = JSON.parse(readFileSync(RESULTS, "utf8"));
  const byShare = Map.groupBy(
    testResults,
    ({ name }) => SHARES.find((share) => name.includes(`/${share}/`)) ?? "others",
  );
  for (const [share, files] of byShare) {
    const ms = files.reduce((sum, { startTime, endTime }) => sum + endTime - startTime, 0);
    console.log(`${share}: ${files.length} files, ${(ms / 1000).toFixed(0)} s`);
  }
  console.log(`\n${numPassedTests} passed, ${numFailedTests} failed`);
}

function secondsSince(begun: number): string {
  return `${((performance.now() - begun) / 1000).toFixed(1)} s`;
}
