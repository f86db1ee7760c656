import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    // No promise of speed: a test that hangs ends, one on a machine that others slow down does not.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    projects: [
      { extends: true, test: { name: "core", include: ["packages/core/src/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "server",
          // Each file has a service on a database of its own; what is loaded anew for each file would be the same again.
          isolate: false,
          include: ["packages/server/src/**/*.test.ts"],
          globalSetup: ["packages/server/src/testing/global-setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "house",
          include: ["tests/**/*.test.ts", "tools/**/*.test.ts"],
          exclude: ["tests/stories/**"],
          testTimeout: 600_000,
        },
      },
      ...(["postgres", "clickhouse"] as const).map((usageFrom) => ({
        extends: true,
        test: {
          name: usageFrom === "postgres" ? "stories" : "stories-clickhouse",
          // Each story has an organization of its own and nothing else to keep apart: the service is started once for all.
          isolate: false,
          include: ["tests/stories/**/*.story.test.ts"],
          globalSetup: ["packages/server/src/testing/global-setup.ts"],
          provide: { usageFrom },
          testTimeout: 300_000,
        },
      })),
    ],
  },
});
