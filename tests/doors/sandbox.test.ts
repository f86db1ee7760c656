// The sandbox as a test runner uses it: one line when it is ready, and nothing left after it ends.

import { once } from "node:events";
import { watch } from "node:fs";
import { createServer } from "node:net";
import { availableParallelism, loadavg } from "node:os";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";
import { listDatabases } from "./databases.ts";
import { closeAfterTest, type Door, descendantsOf, livingOf, openDoor, privateTemporaryFolder } from "./door.ts";

const READY_WITHIN_MS = 180_000;
const READY_ON_A_SERVER_WITHIN_MS = 5_000;
const GONE_WITHIN_MS = 60_000;

const temporary = privateTemporaryFolder();
let server: EmbeddedPostgres;
beforeAll(async () => {
  server = await startEmbeddedPostgres();
});
afterAll(() => server?.stop());

const openSandbox = (env: Record<string, string> = {}, port = "0"): Door =>
  closeAfterTest(
    openDoor(["run", "-s", "sandbox", "--", "--port", port, "--organizations", "2"], {
      TMPDIR: temporary.path,
      ...env,
    }),
  );

const KEY = /^tsk_[0-9A-Za-z]{8}_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/;
const documentedForm = {
  url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
  api_key: expect.stringMatching(KEY),
  organizations: [
    { id: expect.stringMatching(/^[0-9a-f-]{36}$/), api_key: expect.stringMatching(KEY) },
    { id: expect.stringMatching(/^[0-9a-f-]{36}$/), api_key: expect.stringMatching(KEY) },
  ],
};

type Line = { url: string; api_key: string; organizations: { id: string; api_key: string }[] };

async function readyLine(sandbox: Door, withinMs: number): Promise<Line> {
  return JSON.parse(await sandbox.prints("stdout", /\n/, withinMs));
}

async function nameSeenBy(line: Line, key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${line.url}/api/v1/organizations`, { headers, signal: AbortSignal.timeout(60_000) });
  const body = (await response.json()) as { organization: { name: string } };
  return body.organization.name;
}

test.each(["npm", "group"] as const)(
  "without a database it starts its own, and a SIGTERM to %s removes everything",
  async (to) => {
    // The environment may have the logins of another installation.
    const sandbox = openSandbox({ REQUESTS_DATABASE_URL: "postgres://tallystick_requests@127.0.0.1:1/other" });
    const line = await readyLine(sandbox, READY_WITHIN_MS);
    expect(line).toEqual(documentedForm);
    expect(line.api_key).toBe(line.organizations[0]?.api_key);
    const names = await Promise.all(line.organizations.map(({ api_key }) => nameSeenBy(line, api_key)));
    expect(names).toEqual(["Sandbox 1", "Sandbox 2"]);

    const pids = [sandbox.pid, ...descendantsOf(sandbox.pid)];
    expect(livingOf(pids).join("\n")).toContain("postgres");
    expect(temporary.leftovers()).toHaveLength(1);
    sandbox.signal(to);
    const { stdout, stderr } = await sandbox.ends(GONE_WITHIN_MS);
    expect(livingOf(pids)).toEqual([]);
    expect(temporary.leftovers()).toEqual([]);
    expect(stdout).toBe(`${JSON.stringify(line)}\n`);
    expect(stderr).toContain("Server listening");
  },
);

test("on an existing server it creates a database, and drops it at the end", async () => {
  const before = await listDatabases(server.url);
  const sandbox = openSandbox({ DATABASE_URL: server.url });
  expect(await readyLine(sandbox, READY_WITHIN_MS)).toEqual(documentedForm);
  expect(await listDatabases(server.url)).toHaveLength(before.length + 1);
  sandbox.signal("group");
  await sandbox.ends(GONE_WITHIN_MS);
  expect(await listDatabases(server.url)).toEqual(before);
  expect(temporary.leftovers()).toEqual([]);
});

test("on an existing server it is ready within 5 seconds", { retry: 3 }, async () => {
  const sandbox = openSandbox({ DATABASE_URL: server.url });
  await readyLine(sandbox, READY_ON_A_SERVER_WITHIN_MS * crowding());
});

/** Waiting processes per core: if several share a core, everything takes that many times as long. */
const crowding = (): number => Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());

test.each(["npm", "group"] as const)(
  "a signal to %s while its database is being created leaves nothing behind",
  async (to) => {
    const folder = watch(temporary.path);
    const sandbox = openSandbox();
    await once(folder, "change", { signal: AbortSignal.timeout(READY_WITHIN_MS) });
    folder.close();
    const pids = [sandbox.pid, ...descendantsOf(sandbox.pid)];
    sandbox.signal(to);
    const { stdout } = await sandbox.ends(GONE_WITHIN_MS);
    expect(stdout).toBe("");
    expect(livingOf(pids)).toEqual([]);
    expect(temporary.leftovers()).toEqual([]);
  },
);

test("a port in use is named, and nothing is left behind", async () => {
  const before = await listDatabases(server.url);
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as { port: number };
  try {
    const onServer = openSandbox({ DATABASE_URL: server.url }, String(port)).ends(READY_WITHIN_MS);
    const onItsOwn = openSandbox({}, String(port)).ends(READY_WITHIN_MS);
    for (const { code, stdout, stderr } of await Promise.all([onServer, onItsOwn])) {
      expect(code).toBe(1);
      expect(stdout).toBe("");
      expect(stderr).toContain(`Port ${port} is in use by another program.`);
    }
  } finally {
    other.close();
  }
  expect(await listDatabases(server.url)).toEqual(before);
  expect(temporary.leftovers()).toEqual([]);
});

test("an invalid number of organizations prints an error", async () => {
  const door = openDoor(["run", "-s", "sandbox", "--", "--organizations", "many"], { TMPDIR: temporary.path });
  const { code, stdout, stderr } = await door.ends(READY_WITHIN_MS);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("--organizations takes a number from 1 to 100");
});
