import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
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
          include: ["tests/**/*.test.ts"],
          exclude: ["tests/stories/**"],
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "stories",
          // Each story has an organization of its own and nothing else to keep apart: the service is started once for all.
          isolate: false,
          include: ["tests/stories/**/*.story.test.ts"],
          globalSetup: ["packages/server/src/testing/global-setup.ts"],
        },
      },
    ],
  },
});
