/** `npm run mutants`: breaks rating and invoicing in every small way a mutation tester knows, and counts what no test notices. */
// biome-ignore lint/style/noDefaultExport: the tool reads its configuration from the default export.
export default {
  packageManager: "npm",
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "vitest.mutants.config.ts", related: false },
  // It would rewrite tsconfig.json with an API that TypeScript 7 does not have; without one it leaves the project as it is.
  tsconfigFile: "none.json",
  mutate: ["packages/core/src/{rating,invoicing}/*.ts", "!**/*.test.ts", "!**/index.ts"],
  coverageAnalysis: "perTest",
  concurrency: 2,
  reporters: ["clear-text", "json", "progress-append-only"],
  clearTextReporter: { reportTests: false, allowColor: false },
  jsonReporter: { fileName: ".data/mutants/report.json" },
  tempDirName: ".data/mutants/sandbox",
  thresholds: { high: 95, low: 90, break: 90 },
};
