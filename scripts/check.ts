/** `npm run check`: everything CI runs, in the order in which a mistake is cheapest to find. Ends with the test counts. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const RESULTS = ".data/test-results.json";

const steps: ReadonlyArray<readonly [name: string, command: string, ...args: string[]]> = [
  ["format and lint", "biome", "check", "."],
  ["types: core", "tsc", "-p", "packages/core"],
  ["types: second opinion", "tsc", "-p", "packages/second-opinion"],
  ["types: server", "tsc", "-p", "packages/server"],
  ["types: the rest", "tsc", "-p", "."],
  ["dependency rule", "depcruise", "."],
  ["dead code", "knip"],
  ["generated files", "node", "scripts/generate.ts", "--check"],
  ["tests", "vitest", "run", "--reporter=default", "--reporter=json", `--outputFile.json=${RESULTS}`],
];

let failed = false;
for (const [name, command, ...args] of steps) {
  const begun = performance.now();
  console.log(`\n── ${name}`);
  const { status } = spawnSync(command, args, { stdio: "inherit" });
  console.log(
    `── ${name}: ${status === 0 ? "passed" : "FAILED"} in ${((performance.now() - begun) / 1000).toFixed(1)} s`,
  );
  if (status !== 0) failed = true;
}

const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(RESULTS, "utf8"));
console.log(`\n${numPassedTests} passed, ${numFailedTests} failed`);
process.exitCode = failed ? 1 : 0;
