// Runs every command on the pages for newcomers and compares the output with the page.

import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";
import { runOn } from "../../packages/server/src/platform/postgres/temporary-database.ts";
import { privateTemporaryFolder } from "../doors/door.ts";
import { type Block, commandsOf, patternOf, readBlocks, shownMembers } from "./document.ts";
import { openSession, type Session } from "./session.ts";

const temporary = privateTemporaryFolder();
let server: EmbeddedPostgres;
beforeAll(async () => {
  server = await startEmbeddedPostgres();
});
afterAll(() => server?.stop());

/** The logins that the guide creates, on the server of this test. */
function urlsOfGuide(): Record<string, string> {
  const urlOf = (login: string): string => {
    const url = new URL(server.url);
    url.username = login;
    url.pathname = "/tallystick";
    return url.toString();
  };
  return {
    DATABASE_URL: urlOf("tallystick_service"),
    REQUESTS_DATABASE_URL: urlOf("tallystick_requests"),
    MIGRATE_DATABASE_URL: urlOf("tallystick_migrate"),
    VERIFY_DATABASE_URL: urlOf("tallystick_verify"),
  };
}

/** Returns how many outputs the page shows. */
async function follow(session: Session, blocks: readonly Block[]): Promise<number> {
  let outputs: string[] = [];
  let shownCount = 0;
  for (const block of blocks) {
    const where = `line ${block.line}`;
    if (block.language === "sh") {
      outputs = [];
      for (const command of commandsOf(block)) outputs.push(await session.type(command));
    } else if (block.language === "sql") {
      for (const statement of block.text.trim().split("\n")) await runOn(server.url, statement);
    } else if (block.language === "text") {
      expect(outputs.join("").trimEnd(), where).toMatch(patternOf(session.adapt(block.text)));
      shownCount++;
    } else if (block.language === "json") {
      const shown = shownMembers(JSON.parse(block.text), expect.any(String)) as object;
      expect(JSON.parse(outputs.at(-1) ?? ""), where).toMatchObject(shown);
      shownCount++;
    }
  }
  return shownCount;
}

test.each([
  ["README.md", 1],
  ["docs/guides/getting-started.md", 17],
  ["docs/guides/existing-clients.md", 1],
  ["docs/guides/cloudevents.md", 2],
  ["docs/guides/develop.md", 3],
])("the commands of %s work as shown", { timeout: 600_000 }, async (path, shownCount) => {
  const session = await openSession({
    given: urlsOfGuide(),
    dataFolder: join(temporary.path, "data"),
  });
  onTestFinished(session.leave);
  expect(await follow(session, readBlocks(path))).toBe(shownCount);
});

test("wrong output on a page is caught", async () => {
  const session = await openSession({ given: {}, dataFolder: temporary.path });
  const block = (language: string, text: string): Block => ({ language, text, line: 1 });
  const says = (...blocks: Block[]) => follow(session, blocks);
  await expect(says(block("sh", "false\n"))).rejects.toThrow("ended with 1");
  await expect(says(block("sh", "echo one\n"), block("text", "two\n"))).rejects.toThrow("line 1");
  await expect(says(block("sh", "echo '{\"a\":1}'\n"), block("json", '{"a":2}'))).rejects.toThrow("line 1");
  await expect(says(block("sh", "export KEY=tsk_…\n"))).rejects.toThrow("nothing was printed");
});
