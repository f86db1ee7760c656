// The commands of an installation (migrate, start, organizations, keys) and their error messages.

import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";
import {
  createTemporaryDatabase,
  runOn,
  withDatabase,
} from "../../packages/server/src/platform/postgres/temporary-database.ts";
import {
  closeAfterTest,
  type Door,
  type End,
  livingOf,
  openDoor,
  openProcess,
  PUBLIC_URL,
  passDoor,
  privateTemporaryFolder,
  root,
  stopDoor,
} from "./door.ts";

const STARTED_WITHIN_MS = 180_000;
const GONE_WITHIN_MS = 120_000;

let server: EmbeddedPostgres;
let url: string;
let organization: { id: string; key: string };
let service: Door;
let address: string;

async function emptyDatabase(name: string): Promise<string> {
  await runOn(server.url, `create database ${name}`);
  return withDatabase(server.url, name);
}

async function addressOf(started: Door): Promise<string> {
  const log = await started.prints("stderr", /Server listening at http:\S+"/, STARTED_WITHIN_MS);
  return /Server listening at (http:\S+)"/.exec(log)?.[1] ?? "";
}

function readMade({ stdout }: End): { id: string; key: string } {
  const [, id = "", key = ""] =
    /^organization {2}(\S+)\nAPI key {7}(tsk_\S+) {3}\(shown once: keep it now\)\nowner {9}Open \S+\/setup#[\w-]{43} {3}\(24 hours, once\)\n$/.exec(
      stdout,
    ) ?? [];
  return { id, key };
}

beforeAll(async () => {
  server = await startEmbeddedPostgres();
  url = (await createTemporaryDatabase(server.url)).url;
  organization = readMade(
    await passDoor(["run", "-s", "organizations", "--", "create", "--name", "Acme"], { DATABASE_URL: url }),
  );
  service = openDoor(["run", "-s", "start"], { DATABASE_URL: url, PUBLIC_URL, RATE_LIMIT_OTHER: "0" });
  address = await addressOf(service);
});
afterAll(async () => {
  if (service) await stopDoor(service);
  await server?.stop();
});

async function ask(
  method: string,
  path: string,
  key: string,
  body?: unknown,
): Promise<{ status: number; code?: string }> {
  const response = await fetch(`${address}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(60_000),
  });
  const { code } = (await response.json()) as { code?: string };
  return { status: response.status, ...(code ? { code } : {}) };
}

test("migrate reports what it applied, and reports nothing to do the second time", async () => {
  const env = { DATABASE_URL: await emptyDatabase("to_migrate") };
  const first = await passDoor(["run", "-s", "migrate"], env);
  expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Applied: 0001-organizations, /) });
  const second = await passDoor(["run", "-s", "migrate"], env);
  expect(second).toMatchObject({ code: 0, stdout: "The database is up to date.\n", stderr: "" });
});

describe("init", () => {
  const temporary = privateTemporaryFolder();
  const entry = join(root, "packages/cli/src/tallystick.ts");
  const initialize = async (folder: string, ...args: string[]): Promise<End> => {
    const command = `mkdir -p ${folder} && cd ${folder} && exec "$0" ${entry} init "$@"`;
    return openProcess("sh", ["-c", command, process.execPath, ...args]).ends(120_000);
  };

  test("writes settings that only their owner can read, with which the service has an organization and its key", async () => {
    const folder = join(temporary.path, "first");
    const database = await emptyDatabase("to_initialize");
    const args = ["--database-url", database, "--public-url", PUBLIC_URL, "--name", "Acme"];
    const { code, stdout, stderr } = await initialize(folder, ...args);
    expect([code, stderr]).toEqual([0, "Migrating the database …\n"]);
    expect(stdout).toMatch(/^settings {6}\.env .*\norganization {2}\S+\nAPI key {7}tsk_\S+ .*\nowner {9}Open https:/);
    const file = join(folder, ".env");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toMatch(
      /^DATABASE_URL=postgres:\S+\nPUBLIC_URL=https:\S+\nSECRETS_KEY=[\w+/]{43}=\n$/,
    );

    const again = await initialize(folder, ...args);
    expect(again).toMatchObject({ code: 1, stderr: ".env exists already. Remove it to begin again, or edit it.\n" });
    const elsewhere = await initialize(join(temporary.path, "second"), ...args);
    expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining("has organizations already") });
    expect(existsSync(join(temporary.path, "second/.env"))).toBe(false);
  });

  test("says which answer is missing where there is no terminal", async () => {
    const { code, stderr } = await initialize(join(temporary.path, "third"), "--database-url", url);
    expect([code, stderr]).toEqual([1, "--public-url is missing, and there is no terminal to answer questions.\n"]);
  });
});

describe("start", () => {
  const start = (env: Record<string, string>) => passDoor(["run", "-s", "start"], { PUBLIC_URL, ...env });

  test.each([
    ["", "DATABASE_URL is not set, for example DATABASE_URL=postgres://"],
    ["mysql://localhost/tallystick", "DATABASE_URL must begin with postgres://, for example"],
  ])("names all configuration errors at once (DATABASE_URL=%s)", async (wrong, words) => {
    const { code, stdout, stderr } = await start({ DATABASE_URL: wrong, PORT: "123456", LOG_LEVEL: "loud" });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(words);
    expect(stderr).toContain("PORT must be a whole number from 0 to 65535, for example PORT=3000");
    expect(stderr).toContain("LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent");
    expect(stderr).not.toContain("    at ");
  });

  test.each(["as-served", "as-called", "billing.example", "https://billing.example/path"])(
    "refuses to guess its own address (PUBLIC_URL=%s)",
    async (wrong) => {
      const { code, stdout, stderr } = await start({ DATABASE_URL: url, PUBLIC_URL: wrong });
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(
        /PUBLIC_URL (is not set|must be http:\/\/ or https:\/\/ and a host, without a path), for example PUBLIC_URL=https:\/\/billing\.example\.com\n/,
      );
      expect(stderr).not.toContain("    at ");
    },
  );

  test("refuses proxies that are no addresses, and a header limit beyond that of the request", async () => {
    const wrong = { TRUSTED_PROXIES: "10.0.0.0/8,everyone", HEADERS_TIMEOUT_SECONDS: "31" };
    const { code, stderr } = await start({ DATABASE_URL: url, ...wrong });
    expect(code).toBe(1);
    expect(stderr).toContain("TRUSTED_PROXIES must be comma-separated IP addresses and networks such as 10.0.0.0/8");
    expect(stderr).toContain("HEADERS_TIMEOUT_SECONDS must not exceed REQUEST_TIMEOUT_SECONDS");
  });

  test("refuses a login that may do more than the service needs, and says which logins to create", async () => {
    const { code, stdout, stderr } = await start({ DATABASE_URL: url, DATABASE_LOGIN_CHECK: "refuse" });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("the login postgres of DATABASE_URL is a superuser");
    expect(stderr).toContain(
      "create role tallystick_service login noinherit in role tallystick_app, tallystick_dispat",
    );
    expect(stderr).toContain("To start anyway, set DATABASE_LOGIN_CHECK=warn.");
    expect(stderr).not.toContain("    at ");
  });

  test("refuses a login for requests that is more than one for requests, or of another database", async () => {
    await runOn(server.url, "create role service_login login noinherit in role tallystick_app, tallystick_dispatcher");
    const own = new URL(url);
    own.username = "service_login";
    const env = { DATABASE_URL: own.toString(), DATABASE_LOGIN_CHECK: "refuse" };
    const wide = await start({ ...env, REQUESTS_DATABASE_URL: own.toString().replace("service_login", "postgres") });
    expect(wide.code).toBe(1);
    expect(wide.stderr).toContain("  the login postgres of REQUESTS_DATABASE_URL is a superuser\n");
    expect(wide.stderr).not.toContain("of DATABASE_URL");
    const other = await start({ ...env, REQUESTS_DATABASE_URL: withDatabase(env.DATABASE_URL, "postgres") });
    expect(other.code).toBe(1);
    expect(other.stderr).toContain("REQUESTS_DATABASE_URL must have the host, port and database of DATABASE_URL");
    const verify = await passDoor(["run", "-s", "verify"], { DATABASE_URL: env.DATABASE_URL });
    expect(verify.code).toBe(2);
    expect(verify.stderr).toContain("Is this the right login?");
  });

  test("refuses a database that could lose committed data", async () => {
    const unsafe = await createTemporaryDatabase(undefined);
    const { code, stderr } = await start({ DATABASE_URL: unsafe.url }).finally(unsafe.remove);
    expect(code).toBe(1);
    expect(stderr).toContain("The database is not safe for billing:");
    for (const name of ["fsync", "full_page_writes", "synchronous_commit"])
      expect(stderr).toContain(`${name} is off, so an acknowledged request can be lost: set ${name} = on`);
  });

  test("refuses a database without its tables, and names the command to run", async () => {
    const { code, stderr } = await start({ DATABASE_URL: await emptyDatabase("not_migrated") });
    expect(code).toBe(1);
    expect(stderr).toContain('is it migrated? Run "npm run migrate"');
  });

  test("reports the reason if no address of a host name answers", async () => {
    const { code, stderr } = await start({ DATABASE_URL: "postgres://postgres@localhost:1/tallystick" });
    expect(code).toBe(1);
    expect(stderr).toContain("ECONNREFUSED");
  });

  test("ends with its workers if its port is in use", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as { port: number };
    const { code, stderr } = await start({ DATABASE_URL: url, PORT: String(port) }).finally(() => other.close());
    expect(code).toBe(1);
    expect(stderr).toContain(`Port ${port} is in use by another program.`);
  });

  test.each([
    ["npm", ["--only", "api"]],
    ["group", ["--only", "worker"]],
  ] as const)("ends on a SIGTERM to %s (%s)", async (to, options) => {
    const env = { DATABASE_URL: url, PUBLIC_URL, DATABASE_LOGIN_CHECK: "warn" };
    const part = closeAfterTest(openDoor(["run", "-s", "start", "--", ...options], env));
    await part.prints("stderr", /the login postgres of DATABASE_URL is a superuser/, STARTED_WITHIN_MS);
    await part.prints("stderr", options[1] === "api" ? /Server listening/ : /worker started/, STARTED_WITHIN_MS);
    part.signal(to);
    await part.ends(GONE_WITHIN_MS);
    expect(livingOf([part.pid])).toEqual([]);
  });
});

describe("organizations", () => {
  const organizations = (...args: string[]) =>
    passDoor(["run", "-s", "organizations", "--", ...args], { DATABASE_URL: url });

  test("a new organization has a working key", async () => {
    expect(organization.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await ask("GET", "/organizations", organization.key)).toEqual({ status: 200 });
  });

  test("the list shows live and sandbox organizations", async () => {
    const { id } = readMade(await organizations("create", "--name", "Trial", "--sandbox"));
    const { code, stdout } = await organizations("list");
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${organization.id} {2}\\S+Z {2}live {5}Acme$`, "m"));
    expect(stdout).toMatch(new RegExp(`^${id} {2}\\S+Z {2}sandbox {2}Trial$`, "m"));
  });

  test.each([[["create", "--name", " "]], [["remove"]]])("%j prints the usage", async (args) => {
    const { code, stdout, stderr } = await runDirectly("organizations", args);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("npm run organizations -- create --name NAME");
  });
});

/** Without npm, which would add half a second. */
const runDirectly = (command: string, args: readonly string[]): Promise<End> =>
  openProcess(process.execPath, [`packages/server/src/main/${command}.ts`, ...args], { DATABASE_URL: url }).ends(
    30_000,
  );

describe("billing", () => {
  test("is paused, lists waiting invoices, and resumes", async () => {
    const billing = async (verb: string) =>
      (await passDoor(["run", "-s", "billing", "--", verb, "--organization", organization.id], { DATABASE_URL: url }))
        .stdout;
    expect(await billing("pause")).toBe("billing is paused; invoices in progress are still finished\n");
    expect(await billing("waiting")).toBe("waiting: 0\n");
    expect(await billing("resume")).toBe("billing is resumed; released: 0\n");
  });

  test.each([
    [["pause"], "npm run billing -- pause   --organization ORG"],
    [["stop", "--organization", "x"], "npm run billing -- pause   --organization ORG"],
    [["pause", "--organization", "nobody"], "No organization has the id nobody."],
  ])("%j prints an error", async (args, words) => {
    const { code, stdout, stderr } = await runDirectly("billing", args);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(words);
  });
});

describe("secrets", () => {
  const env = { SECRETS_KEY: Buffer.alloc(32, "of a test").toString("base64") };
  const secrets = (...args: string[]) =>
    passDoor(["run", "-s", "secrets", "--", ...args], { DATABASE_URL: url, ...env });

  test("what is plain is sealed, shown and rotated", async () => {
    const webhook_endpoint = { webhook_url: "https://example.com/hook" };
    expect((await ask("POST", "/webhook_endpoints", organization.key, { webhook_endpoint })).status).toBe(200);
    expect((await secrets("status")).stdout).toContain(
      "webhook endpoints: 0 sealed (0 with a retired data key), 1 not sealed\n",
    );
    const total = "sealed: 2 secrets, 0 data keys again under the first master key\n";
    expect(await secrets("seal")).toMatchObject({ code: 0, stdout: total });
    expect(await secrets("rotate")).toMatchObject({ code: 0, stdout: total });
    expect(await secrets("status")).toMatchObject({
      code: 0,
      stdout: [
        "master keys in SECRETS_KEY: 1",
        "data keys under master key 1: 2",
        "webhook endpoints: 1 sealed (0 with a retired data key), 0 not sealed",
        "signing keys: 1 sealed (0 with a retired data key), 0 not sealed",
        "identity providers: 0 sealed (0 with a retired data key), 0 not sealed",
        "seeds of authenticator apps: 0 sealed (0 with another master key), 0 not sealed",
        "cannot be opened: 0\n",
      ].join("\n"),
    });
  });

  test.each([
    [["status"], { SECRETS_KEY: "none" }, 'cannot be opened: {"organization_id"'],
    [["seal"], { SECRETS_KEY: "none" }, "SECRETS_KEY is not set: nothing can be sealed"],
    [["open"], env, "npm run secrets -- status"],
    [["status"], { SECRETS_KEY: "c2VjcmV0" }, "SECRETS_KEY must be 32 bytes in Base64"],
    [["status"], { SECRETS_KEY_FILE: "/no/such/file" }, "SECRETS_KEY_FILE names a file that cannot be read (ENOENT)"],
  ])("%j with %j fails and says why, without the key", async (args, given, words) => {
    const path = "packages/server/src/main/secrets.ts";
    const settings = { DATABASE_URL: url, ...given };
    const { code, stdout, stderr } = await openProcess(process.execPath, [path, ...args], settings).ends(30_000);
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(words);
    expect(stdout + stderr).not.toContain("c2VjcmV0");
  });
});

describe("trail", () => {
  const trail = (...args: string[]) => passDoor(["run", "-s", "trail", "--", ...args], { DATABASE_URL: url });
  const headOf = async (): Promise<string[]> => {
    const lines = (await trail("heads")).stdout.split("\n").map((line) => line.split(/ +/));
    return lines.find(([id]) => id === organization.id) ?? [];
  };

  test("a head that was shown is found again, another chain is not, and the data of an object is erased", async () => {
    const customer = { customer: { external_id: "erased", email: "erased@example.com" } };
    expect((await ask("POST", "/customers", organization.key, customer)).status).toBe(200);
    await expect.poll(async () => Number((await headOf())[1]), { timeout: 60_000 }).toBeGreaterThan(0);
    const [, sequence = "", chain = ""] = await headOf();
    const compare = (hex: string) =>
      trail("compare", "--organization", organization.id, "--sequence", sequence, "--chain", hex);
    expect((await compare(chain)).stdout).toBe(`the trail has this chain at ${sequence}\n`);
    expect(await compare("0".repeat(64))).toMatchObject({ code: 1, stdout: expect.stringContaining("ANOTHER chain") });
    const [{ id } = { id: "" }] = await runOn<{ id: string }>(
      url,
      "select id from customers where external_id = 'erased'",
    );
    const erased = await trail("erase", "--organization", organization.id, "--object", "customer", "--id", id);
    expect(erased.stdout).toBe("erased: the differences of 1 activities\n");
  });

  test.each([
    [["erase"], "npm run trail -- heads"],
    [["erase", "--organization", "nobody", "--object", "customer", "--id", "x"], "No organization has the id nobody."],
    [["sign"], "npm run trail -- sign    --lost-keys"],
  ])("%j prints an error", async (args, words) => {
    const { code, stdout, stderr } = await runDirectly("trail", args);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(words);
  });
});

describe("keys", () => {
  const keys = (verb: string, ...args: string[]) =>
    passDoor(["run", "-s", "keys", "--", verb, "--organization", organization.id, ...args], { DATABASE_URL: url });

  function readKey({ stdout }: End): { id: string; token: string } {
    const [, id = "", token = ""] = /^key (\w{8})\n(tsk_\w+) {3}\(shown once: keep it now\)\n$/.exec(stdout) ?? [];
    return { id, token };
  }

  test("a key has its permissions, and is listed, rotated and revoked", async () => {
    const made = readKey(await keys("create", "--name", "reports", "--permissions", "customer:read,tax:read+write"));
    expect(made.token).toContain(`tsk_${made.id}_`);
    expect(await ask("GET", "/customers", made.token)).toEqual({ status: 200 });
    const customer = { customer: { external_id: "acme" } };
    expect(await ask("POST", "/customers", made.token, customer)).toEqual({
      status: 403,
      code: "write_action_not_allowed_for_customer",
    });
    const tax = { tax: { code: "vat", name: "VAT", rate: "20" } };
    expect(await ask("POST", "/taxes", made.token, tax)).toEqual({ status: 200 });

    const rotated = readKey(await keys("rotate", "--key", made.id, "--old-key-works-until", "2099-01-31T00:00:00Z"));
    expect(await ask("GET", "/customers", rotated.token)).toEqual({ status: 200 });
    expect((await ask("POST", "/customers", rotated.token, customer)).status).toBe(403);
    expect(await ask("GET", "/customers", made.token)).toEqual({ status: 200 });

    const unused = readKey(await keys("create", "--name", "unused"));
    expect((await keys("revoke", "--key", unused.id)).stdout).toBe(
      `key ${unused.id} is revoked; it stops working within 5 seconds\n`,
    );
    expect(await ask("GET", "/customers", unused.token)).toEqual({ status: 401, code: "api_key_ended" });

    const { stdout } = await keys("list");
    expect(stdout).toMatch(/^\w{8} {2}works {2}last used \S+Z {2}everything {2}first$/m);
    expect(stdout).toMatch(
      new RegExp(`^${made.id} {2}expires 2099-01-31T00:00:00Z {2}last used \\S+Z {2}\\{.*\\} {2}reports$`, "m"),
    );
    expect(stdout).toMatch(new RegExp(`^${rotated.id} {2}works .*"customer":\\["read"\\].* {2}reports$`, "m"));
    expect(stdout).toMatch(
      new RegExp(`^${unused.id} {2}revoked \\S+Z {2}last used never {2}everything {2}unused$`, "m"),
    );
    expect(stdout).not.toContain(made.token);
  });

  test.each([
    [[], "npm run keys -- create --organization ORG"],
    [["create", "--organization", "ORG"], "npm run keys -- create --organization ORG"],
    [["list", "--organization", "nobody"], "No organization has the id nobody. See: npm run organizations -- list"],
    [
      ["create", "--organization", "ORG", "--name", "x", "--permissions", "invoces:read"],
      '"invoces" is not a resource. Choose from: *, activity,',
    ],
    [
      ["create", "--organization", "ORG", "--name", "x", "--preset", "root"],
      "PRESET is everything, read_only, ingest, billing;",
    ],
    [
      ["create", "--organization", "ORG", "--name", "x", "--permissions", "tax"],
      '"tax": write tax:read, tax:write or tax:read+write',
    ],
    [
      ["create", "--organization", "ORG", "--name", "x", "--expires-at", "tomorrow"],
      '"tomorrow" is not an instant; write for example',
    ],
    [["rotate", "--organization", "ORG", "--key", "nokey000"], "No key of this organization has that `key_id`"],
    [["revoke", "--organization", "ORG", "--key", "nokey000"], "No key of this organization has that `key_id`"],
  ])("%j prints an error", async (args, words) => {
    const { code, stdout, stderr } = await runDirectly(
      "keys",
      args.map((arg) => (arg === "ORG" ? organization.id : arg)),
    );
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain("    at ");
  });
});
