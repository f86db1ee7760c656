// Runs the TypeScript of the pages for newcomers against a sandbox, and compares what it prints with the comments beside it.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Door, openProcess, privateTemporaryFolder, root, stopDoor } from "../doors/door.ts";
import { runNode } from "../house/fixture.ts";
import { patternOf, readBlocks } from "./document.ts";

const RECEIVE_A_MESSAGE = `
import { Webhook } from "standardwebhooks";
const signed = '{"webhook_type":"customer.created","object_type":"customer","customer":{"external_id":"acme"}}';
const at = performance.timeOrigin + performance.now();
const headers = {
  "webhook-id": "msg_1",
  "webhook-timestamp": String(Math.floor(at / 1000)),
  "webhook-signature": new Webhook(process.env.WEBHOOK_SECRET ?? "").sign("msg_1", { getTime: () => at } as never, signed),
};
const sent = new Request("https://example.com/hooks", { method: "POST", body: signed, headers });
console.log((await receive(sent)).status);
`;

/** The blocks of a page are one program. `after` goes on with it, and prints what it says. */
const PAGES: Readonly<Record<string, { shown: number; after?: string; prints?: readonly string[] }>> = {
  "README.md": { shown: 1 },
  "packages/client/README.md": { shown: 10, after: RECEIVE_A_MESSAGE, prints: ["acme", "204"] },
  "docs/guides/getting-started.md": { shown: 8 },
  "docs/guides/lists.md": { shown: 1 },
};

const folder = join(root, ".data/docs-typescript");
const temporary = privateTemporaryFolder();
const fileOf = (page: string): string => join(folder, `${page.replaceAll(/\W/g, "-")}.ts`);
const programOf = (page: string): string =>
  readBlocks(page)
    .filter(({ language }) => language === "ts")
    .map(({ text }) => text)
    .join("\n");

/** What a line prints is in its comment; \`…\` matches anything. */
const shownBy = (program: string): string[] =>
  Array.from(program.matchAll(/console\.log\(.*\/\/ (.*)$/gm), ([, text = ""]) => text);

let sandbox: Door;
let url: string;
let keys: string[];
beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  for (const [page, { after = "" }] of Object.entries(PAGES)) {
    const program = programOf(page).replaceAll("/var/spool/my-app", join(temporary.path, "spool"));
    writeFileSync(fileOf(page), `${program}${after}\nexport {};\n`);
  }
  const count = String(Object.keys(PAGES).length);
  sandbox = openProcess("npm", ["run", "-s", "sandbox", "--", "--port", "0", "--organizations", count]);
  const ready = JSON.parse(await sandbox.prints("stdout", /\n/, 180_000));
  url = ready.url;
  keys = ready.organizations.map(({ api_key }: { api_key: string }) => api_key);
});
afterAll(async () => {
  if (sandbox) await stopDoor(sandbox);
  rmSync(folder, { recursive: true, force: true });
});

test("the TypeScript of the pages compiles, strictly", () => {
  const settings = { extends: "../../tsconfig.base.json", compilerOptions: { types: ["node"] }, include: ["*.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  expect(runNode(root, "node_modules/typescript/bin/tsc", "-p", folder).output).toBe("");
});

test.each(Object.entries(PAGES))(
  "the TypeScript of %s prints what the page shows",
  async (page, { shown, prints = [] }) => {
    const expected = shownBy(programOf(page));
    expect(expected).toHaveLength(shown);
    const env = {
      TALLYSTICK_URL: url,
      TALLYSTICK_KEY: keys[Object.keys(PAGES).indexOf(page)] ?? "",
      WEBHOOK_SECRET: `whsec_${btoa("a secret of thirty-two bytes, ok")}`,
    };
    const { code, stdout, stderr } = await openProcess("node", [fileOf(page)], env).ends(180_000);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.trimEnd()).toMatch(patternOf([...expected, ...prints].join("\n")));
  },
);
