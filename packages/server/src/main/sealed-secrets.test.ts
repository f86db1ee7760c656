/** Secrets in the database of a service: sealed, opened, rotated, and without their key. */
import { createHmac } from "node:crypto";
import { beforeEach, describe, expect, it, test } from "vitest";
import { systemClock } from "../platform/clock.ts";
import { runOn } from "../platform/postgres/temporary-database.ts";
import { newMasterKey } from "../platform/secrets/master-keys.ts";
import { createLog } from "../platform/telemetry/log.ts";
import { startServiceOn } from "../testing/service-on.ts";
import { startReceiver } from "../testing/start-receiver.ts";
import { startTallystick } from "../testing/start-tallystick.ts";
import { SEALED_CHECK, verify } from "../verify/index.ts";
import { findUnopened, rotateSecrets } from "./rotate-secrets.ts";
import { sealAll } from "./sealing.ts";

let now = systemClock.now();
const clock = { now: () => now };
const pass = (duration: { seconds?: number; hours?: number }): void => {
  now = now.add(duration);
};

const { received, url } = await startReceiver();
const [one, two] = [newMasterKey(), newMasterKey()];
const lines: string[] = [];
const log = createLog("trace", { write: (line: string) => void lines.push(line) });
const TRUSTED = { OUTBOUND_TRUSTED_HOSTS: "127.0.0.1" };
const service = await startTallystick({ clock, log, settings: { SECRETS_KEY: "none", ...TRUSTED } });
const { organizations, platform, call: callPlain, drain: drainPlain } = service;
const { DATABASE_URL: databaseUrl } = platform.config;
const [first, second] = organizations.map(({ key }) => ({ key }));

const restart = (key: string) =>
  startServiceOn({ url: databaseUrl, key: first?.key ?? "", clock, settings: { SECRETS_KEY: key, ...TRUSTED } });
const sealing = await restart(one);
const keyless = await restart("none");
const both = await restart(`2:${two},1:${one}`);
const newer = await restart(`2:${two}`);

type Service = Pick<typeof sealing, "call" | "drain" | "platform">;
type Endpoint = { svc_id: string; secret: string; secret_last4: string };

let count = 0;
const nextPath = (): string => `/${++count}`;
const listen = async (by: Pick<Service, "call">, path: string, more: object = {}, as = first): Promise<Endpoint> => {
  const body = { webhook_endpoint: { webhook_url: url(path), event_types: ["customer.created"], ...more } };
  const answer = await by.call("POST", "/webhook_endpoints", body, as);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.webhook_endpoint;
};
const happen = async (by: Pick<Service, "call" | "drain">): Promise<void> => {
  for (const as of [first, second])
    await by.call("POST", "/customers", { customer: { external_id: `c${++count}` } }, as);
  await by.drain();
};
const at = (path: string) => received.filter((message) => message.path === path);
/** How many messages a path received; each must be signed with this secret. */
const signed = (path: string, { secret }: Endpoint): number => {
  for (const { body, headers } of at(path))
    expect(headers["x-svc-signature"]).toBe(createHmac("sha256", secret).update(body).digest("base64"));
  return at(path).length;
};
const read = <Row extends Record<string, unknown>>(query: string) => runOn<Row>(databaseUrl, query);
const boxes = () =>
  read<{ id: string; box: string | null; version: number | null }>(
    `select id::text, encode(sealed_secrets, 'hex') as box, data_key_version as version from webhook_endpoints
     union all select organization_id::text, encode(sealed_private_key, 'hex'), data_key_version from webhook_keys order by 1`,
  );
const keysOf = (restarted: Service) => {
  const { masterKeys } = restarted.platform;
  if (!masterKeys) throw new Error("this service has no key");
  return masterKeys;
};
const seal = (by: Service) => sealAll(by.platform, keysOf(by));
const quiet = { isLost: false, say: (_: string): void => undefined };
const rotate = (by: Service, options: Partial<typeof quiet> = {}) =>
  rotateSecrets({ ...by.platform, masterKeys: keysOf(by) }, { ...quiet, ...options });
const unopened = async (by: Service) => (await findUnopened(by.platform)).broken;

beforeEach(async () => {
  await drainPlain();
  await read(`delete from webhook_attempts; delete from webhook_deliveries; delete from webhook_endpoints;
    delete from webhook_keys; delete from data_keys; delete from master_keys`);
  received.length = 0;
});

describe("without a key", () => {
  test("webhooks are signed as before, and /ready says that secrets are not sealed and what to do", async () => {
    const path = nextPath();
    const endpoint = await listen(keyless, path);
    await happen(keyless);
    expect(signed(path, endpoint)).toBe(1);
    const { ready, warnings } = await keyless.ready();
    expect(ready).toBe(true);
    expect(warnings).toEqual([expect.stringContaining("secrets are not sealed: set SECRETS_KEY")]);
  });
});

describe("with a key", () => {
  test("no secret is in the database, in a log or in an answer besides those that create and rotate", async () => {
    lines.length = 0;
    const logged = await startTallystick({ clock, log, settings: { SECRETS_KEY: one, ...TRUSTED } });
    const { call } = logged;
    const body = { webhook_endpoint: { webhook_url: url(nextPath()) } };
    const once = { headers: { "idempotency-key": "once|only" } };
    const shown = await call("POST", "/webhook_endpoints", body, once);
    const made = shown.body.webhook_endpoint;
    const path = `/webhook_endpoints/${made.svc_id}`;
    expect((await call("POST", "/webhook_endpoints", body, once)).text).toBe(shown.text);
    const rotated = (await call("POST", `${path}/rotate_secret`, undefined, { headers: { "idempotency-key": "r" } }))
      .body;
    await listen(logged, nextPath(), { signature_algo: "jwt" }, {} as never);
    await happen({ ...logged });
    const secrets = [made.secret, rotated.webhook_endpoint.secret, "PRIVATE KEY"];
    const answers = [
      await call("GET", path),
      await call("GET", "/webhook_endpoints"),
      await call("PUT", path, { webhook_endpoint: { name: "again" } }),
      await call("GET", "/webhooks/json_public_key"),
      await call("GET", "/webhooks"),
      await call("DELETE", path),
    ];
    log.error(
      { secret: made.secret },
      `a mistake: ${made.secret} -----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----`,
    );
    const dumped = await dump(logged.platform.config.DATABASE_URL);
    for (const secret of secrets.flatMap(formsOf)) {
      for (const answer of answers) expect(answer.text).not.toContain(secret);
      expect(lines.join("")).not.toContain(secret);
      expect(dumped).not.toContain(secret);
    }
    expect(lines.length).toBeGreaterThan(10);
  });

  test("secrets that were there before are sealed by the job, in both forms the same messages are signed", async () => {
    const paths = [nextPath(), nextPath(), nextPath()] as const;
    const hmac = await listen({ call: callPlain }, paths[0]);
    const theirs = await listen({ call: callPlain }, paths[1], {}, second);
    await listen({ call: callPlain }, paths[2], { signature_algo: "jwt" });
    const publicKey = (await sealing.call("GET", "/webhooks/public_key")).text;
    await happen(sealing);
    expect((await boxes()).every(({ box }) => box === null)).toBe(true);
    expect((await sealing.ready()).warnings).toEqual([expect.stringContaining("some secrets are not sealed yet")]);

    expect(await seal(sealing)).toEqual({ rows: 5, dataKeys: 0, organizations: 2 });
    expect((await boxes()).every(({ box }) => box !== null)).toBe(true);
    expect((await sealing.ready()).warnings).toEqual([]);
    await happen(sealing);
    expect([signed(paths[0], hmac), signed(paths[1], theirs), at(paths[2]).length]).toEqual([2, 2, 2]);
    expect((await sealing.call("GET", "/webhooks/public_key")).text).toBe(publicKey);
    expect(await unopened(sealing)).toBe(0);
    expect(await seal(sealing)).toEqual({ rows: 0, dataKeys: 0, organizations: 0 });
  });

  test("a replaced secret still signs after it was sealed", async () => {
    const path = nextPath();
    const old = await listen({ call: callPlain }, path);
    await callPlain("POST", `/webhook_endpoints/${old.svc_id}/rotate_secret`);
    await seal(sealing);
    await happen(sealing);
    expect(String(at(path)[0]?.headers["webhook-signature"]).split(" ")).toHaveLength(2);
    expect((await sealing.call("GET", `/webhook_endpoints/${old.svc_id}`)).body.webhook_endpoint.secret).toBeNull();
  });
});

describe("a box that was moved", () => {
  const swap = (from: string, to: string, columns = "sealed_secrets") =>
    read(`update webhook_endpoints set ${columns} = (select ${columns} from webhook_endpoints where id = '${from}')
      where id = '${to}'`);

  it.each([
    ["another row", first],
    ["another organization", second],
  ])("to %s is not opened: nothing is sent, and verify names the row", async (_, as) => {
    const path = nextPath();
    const source = await listen(sealing, nextPath());
    const target = await listen(sealing, path, {}, as);
    await swap(source.svc_id, target.svc_id);
    await happen(sealing);
    expect(at(path)).toEqual([]);
    const { broken, rows } = await findUnopened(sealing.platform);
    expect(broken).toBe(1);
    expect(rows).toMatchObject([{ table: "webhook_endpoints", row: target.svc_id }]);
  });

  test("to another column is not opened", async () => {
    await listen(sealing, nextPath());
    await read("update webhook_keys set sealed_private_key = (select sealed_secrets from webhook_endpoints)");
    expect(await unopened(sealing)).toBe(1);
  });
});

describe("a database that was restored without its key", () => {
  test("serves, names the key, and keeps deliveries until the key is there again", async () => {
    const [path, jwtPath] = [nextPath(), nextPath()];
    const endpoint = await listen(sealing, path);
    await listen(sealing, jwtPath, { signature_algo: "jwt" });
    const publicKey = (await sealing.call("GET", "/webhooks/public_key")).text;
    await happen(keyless);
    await happen(keyless);
    expect([at(path), at(jwtPath)]).toEqual([[], []]);
    expect((await keyless.call("GET", "/webhooks/public_key")).text).toBe(publicKey);
    pass({ seconds: 6 });
    const { ready, warnings, stuck } = await keyless.ready();
    expect(ready).toBe(true);
    expect(warnings).toEqual([expect.stringContaining("SECRETS_KEY version 1 cannot be opened")]);
    expect(stuck).toMatchObject([{ kind: "webhook_secrets", count: 2 }]);
    const named = await verify(databaseUrl, { masterKeys: null, now });
    expect(named.filter(({ broken }) => broken > 0).map(({ name }) => name)).toEqual([
      "deliveries-are-signed",
      SEALED_CHECK,
      "activity-heads-are-signed",
    ]);
    const waiting = await read("select distinct status, attempts, leased_until from webhook_deliveries");
    expect(waiting).toEqual([{ status: "pending", attempts: 0, leased_until: null }]);

    pass({ seconds: 61 });
    await sealing.drain();
    expect([signed(path, endpoint), at(jwtPath).length]).toEqual([2, 2]);
    pass({ seconds: 6 });
    expect(await sealing.ready()).toMatchObject({ warnings: [], stuck: [] });
    const kept = await verify(databaseUrl, { masterKeys: sealing.platform.masterKeys, now });
    expect(kept.filter(({ broken }) => broken > 0)).toEqual([]);
  });

  test("another key of the same version opens nothing and seals nothing", async () => {
    await listen(sealing, nextPath());
    const wrong = await restart(two);
    for (const as of [first, second]) {
      const body = { webhook_endpoint: { webhook_url: url(nextPath()) } };
      const { status, body: refused } = await wrong.call("POST", "/webhook_endpoints", body, as);
      expect([status, refused.code]).toEqual([503, "secrets_key_wrong"]);
    }
    expect((await wrong.ready()).warnings).toEqual([expect.stringContaining("version 1 is another key")]);
    await expect(rotate(wrong)).rejects.toThrow("Some data keys cannot be opened");
    expect(await unopened(sealing)).toBe(0);
  });

  test("goes on with a new key if the old one is lost: new signing keys, and secrets that owners rotate", async () => {
    const [path, jwtPath] = [nextPath(), nextPath()];
    const endpoint = await listen(sealing, path);
    const jwt = await listen(sealing, jwtPath, { signature_algo: "jwt" });
    const publicKey = (await sealing.call("GET", "/webhooks/public_key")).text;
    await happen(newer);
    await expect(rotate(newer)).rejects.toThrow("--lost-keys");
    await rotate(newer, { isLost: true });
    expect((await newer.call("GET", "/webhooks/public_key")).text).not.toBe(publicKey);
    const renew = async ({ svc_id }: Endpoint): Promise<Endpoint> =>
      (await newer.call("POST", `/webhook_endpoints/${svc_id}/rotate_secret`)).body.webhook_endpoint;
    const renewed = await renew(endpoint);
    await renew(jwt);
    pass({ seconds: 61 });
    await newer.drain();
    expect([signed(path, renewed), at(jwtPath).length]).toEqual([1, 1]);
    pass({ hours: 26 });
    await seal(newer);
    expect(await unopened(newer)).toBe(0);
    expect((await newer.ready()).warnings).toEqual([]);
  });
});

describe("a rotation", () => {
  test("of the master key seals the data keys again and touches no secret", async () => {
    const path = nextPath();
    const endpoint = await listen(sealing, path);
    const before = await boxes();
    expect(await seal(both)).toEqual({ rows: 0, dataKeys: 1, organizations: 1 });
    expect(await boxes()).toEqual(before);
    await happen(newer);
    expect(signed(path, endpoint)).toBe(1);
    expect((await newer.ready()).warnings).toEqual([]);
  });

  test("of the data keys seals every secret again, continues where it was interrupted, and deletes the old keys after a day", async () => {
    const [path, theirs] = [nextPath(), nextPath()];
    const endpoint = await listen(sealing, path);
    const other = await listen(sealing, theirs, {}, second);
    const said: string[] = [];
    const say = (line: string) => void said.push(line);
    const interrupted = rotate(sealing, {
      say: () => {
        throw new Error("interrupted");
      },
    });
    await expect(interrupted).rejects.toThrow("interrupted");
    expect(new Set((await boxes()).map(({ version }) => version))).toEqual(new Set([1, 2]));
    await happen(sealing);
    expect([signed(path, endpoint), signed(theirs, other)]).toEqual([1, 1]);

    await rotate(sealing, { say });
    expect(said[0]).toBe("continuing a rotation that was interrupted");
    expect(new Set((await boxes()).map(({ version }) => version))).toEqual(new Set([2]));
    await happen(sealing);
    expect([signed(path, endpoint), signed(theirs, other)]).toEqual([2, 2]);
    const versions = () => read("select distinct version from data_keys order by 1");
    expect(await versions()).toEqual([{ version: 1 }, { version: 2 }]);
    pass({ hours: 26 });
    await seal(sealing);
    expect(await versions()).toEqual([{ version: 2 }]);
    expect(await unopened(sealing)).toBe(0);
  });
});

async function dump(of: string): Promise<string> {
  const tables = await runOn<{ name: string }>(
    of,
    `select schemaname || '.' || quote_ident(tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const texts = await Promise.all(
    tables.map(async ({ name }) =>
      (await runOn<{ row: string }>(of, `select t::text as row from ${name} t`)).map(({ row }) => row),
    ),
  );
  return texts.flat().join("\n");
}

/** As text, as a bytea column shows it, and in Base64. */
function formsOf(secret: string): string[] {
  const text = secret.replace("whsec_", "");
  const bytes = Buffer.from(text);
  return [text, bytes.toString("hex"), bytes.toString("base64").slice(0, 12)];
}
