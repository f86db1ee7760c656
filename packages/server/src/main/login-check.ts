/** Whether the logins of the service may do more than it needs. Whoever gets SQL into a connection could use every right of its login. */
import type { Database } from "../platform/postgres/database.ts";
import { type ExcessRights, findExcessRights } from "../platform/postgres/login-rights.ts";
import type { Log } from "../platform/telemetry/log.ts";
import type { Config } from "./config.ts";

type Deps = { config: Config; db: Database; dispatcherDb: Database; log: Log };

/** Throws, or warns, by DATABASE_LOGIN_CHECK. */
export async function checkLogins({ config, db, dispatcherDb, log }: Deps): Promise<void> {
  const { DATABASE_LOGIN_CHECK: mode, DATABASE_URL, REQUESTS_DATABASE_URL } = config;
  if (mode === "off") return;
  const faults = describe("DATABASE_URL", await findExcessRights(dispatcherDb, ["app", "dispatcher"]));
  if (REQUESTS_DATABASE_URL !== DATABASE_URL)
    faults.push(...describe("REQUESTS_DATABASE_URL", await findExcessRights(db, ["app"])));
  if (faults.length === 0) return;
  const message = `The service has rights that it does not need:\n  ${faults.join("\n  ")}\n${REMEDY}`;
  if (mode === "warn") log.warn(message);
  else throw new Error(`${message}\nTo start anyway, set DATABASE_LOGIN_CHECK=warn.`);
}

const describe = (setting: string, { login, rights }: ExcessRights): string[] =>
  rights.map((right) => `the login ${login} of ${setting} ${right}`);

const REMEDY = `Create logins with only those, as an administrator of Postgres:
  create role tallystick_service login noinherit in role tallystick_app, tallystick_dispatcher;
  create role tallystick_requests login noinherit in role tallystick_app;
  create role tallystick_verify login noinherit in role tallystick_verifier;
Put the first into DATABASE_URL, the second into REQUESTS_DATABASE_URL and the third into VERIFY_DATABASE_URL.
Keep the present login in MIGRATE_DATABASE_URL, only for "npm run migrate".`;
