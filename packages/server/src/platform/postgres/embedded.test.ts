import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startEmbeddedPostgres } from "./embedded.ts";

test("a folder that only root may enter is no place for the server, and the message says what to do", async () => {
  // mkdtemp lets only its owner in; whoever is not root is that owner, and the server runs as the same.
  const folder = mkdtempSync(join(tmpdir(), "tallystick-locked-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const words = await startEmbeddedPostgres({ dataFolder: join(folder, "postgres") }).then(
    async (server) => {
      await server.stop();
      return "started";
    },
    (error: Error) => error.message,
  );
  const isRoot = process.getuid?.() === 0;
  expect(words).toMatch(isRoot ? /"nobody" may not enter .*--data FOLDER.* or set DATABASE_URL/ : /^started$/);
});
