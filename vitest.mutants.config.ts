import { defineConfig } from "vitest/config";

// The tests that must notice a mutant of rating or invoicing: those of the two stages themselves.
export default defineConfig({
  test: { include: ["packages/core/src/{rating,invoicing}/**/*.test.ts"], testTimeout: 20_000 },
});
