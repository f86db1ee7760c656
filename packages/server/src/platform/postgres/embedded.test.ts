import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startEmbeddedPostgres } from "./embedded.ts";

test("a folder that only root can access is refused, with a message that says what to do", async () => {
  // mkdtemp grants access to the owner only. Without root, we and the server are that owner.
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
  expect(words).toMatch(isRoot ? /"nobody" cannot access .*--data FOLDER.* or set DATABASE_URL/ : /^started$/);
});
