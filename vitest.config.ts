import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    // No module keeps what a test could leave to the next, but for the one service that all stories share: databases, services and clocks
    // are made by whoever needs them. What would be loaded again for each file is the whole service.
    isolate: false,
    // No promise of speed: a test that hangs ends, one on a machine that others slow down does not.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    projects: [
      {
        extends: true,
        test: {
          name: "client",
          include: ["packages/{cli,client}/src/**/*.test.ts"],
          globalSetup: ["packages/server/src/testing/global-setup.ts"],
        },
      },
      { extends: true, test: { name: "core", include: ["packages/core/src/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "server",
          include: ["packages/server/src/**/*.test.ts"],
          globalSetup: ["packages/server/src/testing/global-setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "house",
          include: ["tests/**/*.test.ts", "tools/**/*.test.ts"],
          exclude: ["tests/journeys/**", "tests/stories/**"],
          testTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: "journeys",
          include: ["packages/console/src/**/*.test.ts", "tests/journeys/**/*.test.ts"],
          globalSetup: ["packages/server/src/testing/global-setup.ts", "tests/journeys/global-setup.ts"],
          testTimeout: 600_000,
        },
      },
      ...(["postgres", "clickhouse"] as const).map((usageFrom) => ({
        extends: true,
        test: {
          name: usageFrom === "postgres" ? "stories" : "stories-clickhouse",
          include: ["tests/stories/**/*.story.test.ts"],
          globalSetup: ["packages/server/src/testing/global-setup.ts"],
          provide: { usageFrom },
          testTimeout: 300_000,
        },
      })),
    ],
  },
});
