/** Secrets of people and of identity providers in the database: sealed, opened, moved, and under another master key. */
import { describe, expect, test } from "vitest";
import { approveDomain } from "../modules/accounts/index.ts";
import { systemClock } from "../platform/clock.ts";
import { runOn } from "../platform/postgres/temporary-database.ts";
import { newMasterKey } from "../platform/secrets/master-keys.ts";
import { codeAt } from "../testing/authenticator-app.ts";
import { openBrowser } from "../testing/open-browser.ts";
import { startServiceOn } from "../testing/service-on.ts";
import { PASSWORD, type Person, setUpOwner } from "../testing/set-up-person.ts";
import { startTallystick } from "../testing/start-tallystick.ts";
import { findUnopened, rotateSecrets } from "./rotate-secrets.ts";
import { sealAll } from "./sealing.ts";

let now = systemClock.now();
const clock = { now: () => now };
const [one, two] = [newMasterKey(), newMasterKey()];
const plain = await startTallystick({ clock, settings: { SECRETS_KEY: "none" } });
const organizationId = plain.organizations[0]?.id ?? "";
const { DATABASE_URL: databaseUrl } = plain.platform.config;
const restart = (key: string) => startServiceOn({ url: databaseUrl, key: "", clock, settings: { SECRETS_KEY: key } });
const sealing = await restart(one);
const both = await restart(`2:${two},1:${one}`);
const newer = await restart(`2:${two}`);

type Service = Pick<typeof sealing, "app" | "platform">;
type Enrolled = Person & { secret: string };

const CLIENT_SECRET = "the client secret of the provider";
const read = <Row extends Record<string, unknown>>(query: string) => runOn<Row>(databaseUrl, query);
const unopened = async ({ platform }: Service) => (await findUnopened(platform)).rows;
const seal = ({ platform }: Service) => {
  if (!platform.masterKeys) throw new Error("this service has no key");
  return sealAll(platform, platform.masterKeys);
};

async function enroll(by: Service): Promise<Enrolled> {
  const person = await setUpOwner(by, organizationId);
  const { secret } = (await person.browser.send("POST", "/session/totp")).body.totp;
  const code = codeAt(secret, now);
  expect((await person.browser.send("POST", "/session/totp/confirm", { code })).status).toBe(200);
  return { ...person, secret };
}

async function signIn({ app }: Service, { email, secret }: Enrolled) {
  now = now.add({ seconds: 60 });
  const browser = openBrowser(app);
  const { pending_token } = (await browser.send("POST", "/session", { email, password: PASSWORD })).body;
  const code = codeAt(secret, now);
  const { status, body } = await browser.send("POST", "/session/second-factor", { pending_token, code });
  return status === 200 ? "signed in" : body.code;
}

async function addProvider({ browser }: Person): Promise<string> {
  const provider = {
    ...{ name: "Sign-in", issuer: "https://login.example.com", client_id: "tallystick", client_secret: CLIENT_SECRET },
    mail_domains: ["example.com"],
  };
  const body = { identity_provider: provider };
  const made = await browser.send("POST", "/api/v1/identity_providers", body, organizationId);
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  expect(JSON.stringify(made.body)).not.toContain(CLIENT_SECRET);
  return made.body.identity_provider.svc_id;
}

const dumped = async (): Promise<string> => {
  const tables = ["totp_factors", "recovery_codes", "identity_providers", "idempotency_keys"];
  const texts = await Promise.all(
    tables.map((table) => read<{ row: string }>(`select t::text as row from ${table} t`)),
  );
  return texts
    .flat()
    .map(({ row }) => row)
    .join("\n");
};

describe("seeds of authenticator apps and client secrets of providers", () => {
  test("are plain without a key, are sealed by the job, work in both forms, and are in no dump then", async () => {
    const person = await enroll(plain);
    const id = await addProvider(person);
    expect(await dumped()).toContain(person.secret);
    expect((await sealing.ready()).warnings).toEqual([expect.stringContaining("some secrets are not sealed yet")]);
    expect(await seal(sealing)).toMatchObject({ rows: 2 });
    expect((await sealing.ready()).warnings).toEqual([]);
    const other = await enroll(sealing);
    const shown = await person.browser.send("GET", `/api/v1/identity_providers/${id}`, undefined, organizationId);
    for (const secret of [person.secret, other.secret, CLIENT_SECRET]) {
      expect(await dumped()).not.toContain(secret);
      expect(await dumped()).not.toContain(Buffer.from(secret).toString("hex"));
      expect(JSON.stringify(shown.body)).not.toContain(secret);
    }
    expect([await signIn(sealing, person), await signIn(sealing, other)]).toEqual(["signed in", "signed in"]);
    expect(await unopened(sealing)).toEqual([]);
  });

  test("follow a change of the master key, and a rotation of the data keys", async () => {
    const person = await enroll(sealing);
    expect(await signIn(newer, person)).toBe("secrets_key_wrong");
    expect((await newer.ready()).warnings).toEqual([expect.stringContaining("version 1 cannot be opened")]);
    const [{ count = 0 } = {}] = await read<{ count: number }>("select count(*)::integer from totp_factors");
    expect(await seal(both)).toMatchObject({ rows: count });
    expect(await signIn(newer, person)).toBe("signed in");
    const { platform } = newer;
    if (!platform.masterKeys) throw new Error("this service has no key");
    await rotateSecrets({ ...platform, masterKeys: platform.masterKeys }, { isLost: false, say: () => undefined });
    expect(await unopened(newer)).toEqual([]);
    expect((await newer.ready()).warnings).toEqual([]);
  });

  test("do not open in another row: verify names it, and nobody signs in with it", async () => {
    const [person, other] = [await enroll(newer), await enroll(newer)];
    await read(`update totp_factors t set sealed_secret = o.sealed_secret from totp_factors o
      where t.user_id = (select id from users where email = '${person.email}')
        and o.user_id = (select id from users where email = '${other.email}')`);
    expect(await signIn(newer, { ...person, secret: other.secret })).toBe("secrets_key_wrong");
    expect(await unopened(newer)).toMatchObject([{ organization_id: null, table: "totp_factors" }]);
  });
});

test("a provider whose client secret does not open signs nobody in, and says so", async () => {
  await approveDomain(newer.platform.dispatcherDb, { domain: "example.com", organizationId, now });
  await read("update identity_providers set sealed_client_secret = sealed_client_secret || '\\x00'::bytea");
  const { status, body } = await openBrowser(newer.app).send("POST", "/session/oidc", { email: "ada@example.com" });
  expect([status, body.code]).toEqual([503, "secrets_key_wrong"]);
});
