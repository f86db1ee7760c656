/** The settings of the logins to Postgres: each process gets one with no more rights than it needs. */
import type { Mistake } from "./whole-number.ts";

const postgresUrl = (value: string): string | Mistake =>
  /^postgres(ql)?:\/\/\S+$/.test(value) ? value : { mistake: "must begin with postgres://" };

/** The value of the other settings that means: the login of this one. */
const SAME_LOGIN = "DATABASE_URL";
const otherUrl = (value: string): string | Mistake => (value === SAME_LOGIN ? value : postgresUrl(value));

const checkMode = (value: string): string | Mistake =>
  ["refuse", "warn", "off"].includes(value) ? value : { mistake: "must be one of refuse, warn, off" };

/** Without a pooler, every connection leads to Postgres itself. */
export const POOLER_OFF = "none";

export const DATABASE_SETTINGS = {
  DATABASE_URL: {
    description:
      "The Postgres database (15 to 18). Without it, `npm run dev` and the sandbox start their own. The login needs only the roles `tallystick_app` and `tallystick_dispatcher`.",
    example: "postgres://tallystick_service@127.0.0.1:5432/tallystick",
    parse: postgresUrl,
  },
  DATABASE_POOLER_URL: {
    description:
      "A PgBouncer in front of the same database, in transaction mode, for the transactions of requests and workers. Both keep their logins. The job queue, `npm run migrate` and `npm run verify` still connect to Postgres itself, to which the other URLs must lead. `none` for no pooler.",
    example: "postgres://tallystick_service@127.0.0.1:6432/tallystick",
    default: POOLER_OFF,
    parse: (value: string) => (value === POOLER_OFF ? value : postgresUrl(value)),
  },
  REQUESTS_DATABASE_URL: {
    description:
      "The same database with a login that has only the role `tallystick_app`. Requests use it, so that none of their connections can act for all organizations.",
    example: "postgres://tallystick_requests@127.0.0.1:5432/tallystick",
    default: SAME_LOGIN,
    parse: otherUrl,
  },
  MIGRATE_DATABASE_URL: {
    description:
      "The same database with a login that owns it and has the role `tallystick_owner`. Only `npm run migrate` uses it: set it there and not for the service.",
    example: "postgres://tallystick_migrate@127.0.0.1:5432/tallystick",
    default: SAME_LOGIN,
    parse: otherUrl,
  },
  VERIFY_DATABASE_URL: {
    description:
      "The same database with a login that has only the role `tallystick_verifier`, which reads all organizations and writes nothing. Only `npm run verify` uses it.",
    example: "postgres://tallystick_verify@127.0.0.1:5432/tallystick",
    default: SAME_LOGIN,
    parse: otherUrl,
  },
  DATABASE_LOGIN_CHECK: {
    description:
      "What `npm start` does if its login may do more than the service needs: `refuse` to start, `warn` in the log, or `off` for development. Off in `npm run dev`.",
    example: "warn",
    default: "refuse",
    parse: checkMode,
  },
} as const;

const OTHER_LOGINS = ["REQUESTS_DATABASE_URL", "MIGRATE_DATABASE_URL", "VERIFY_DATABASE_URL"] as const;

type Urls = { DATABASE_URL?: unknown } & { [Name in (typeof OTHER_LOGINS)[number]]?: unknown };

/** Who replaces the database replaces its logins: those of the environment are of another database. */
export const withItsLogins = <Given extends Urls>(given: Given): Given =>
  given.DATABASE_URL === undefined
    ? given
    : { ...Object.fromEntries(OTHER_LOGINS.map((name) => [name, SAME_LOGIN])), ...given };

/** Each URL in full. */
export const withUrls = <Given extends Urls>(given: Given): Given => ({
  ...given,
  ...Object.fromEntries(
    OTHER_LOGINS.map((name) => [name, given[name] === SAME_LOGIN ? given.DATABASE_URL : given[name]]),
  ),
});

/** Requests and workers on two databases would lose each other's work. */
export function namesAnotherDatabase({ DATABASE_URL, REQUESTS_DATABASE_URL }: Urls): boolean {
  if (typeof DATABASE_URL !== "string" || typeof REQUESTS_DATABASE_URL !== "string") return false;
  const [one, other] = [new URL(DATABASE_URL), new URL(REQUESTS_DATABASE_URL)];
  return one.host !== other.host || one.pathname !== other.pathname;
}

/** Through the pooler, requests keep their own login. */
export function atPooler(
  pooler: string,
  { DATABASE_URL, REQUESTS_DATABASE_URL }: { DATABASE_URL: string; REQUESTS_DATABASE_URL: string },
): string {
  if (REQUESTS_DATABASE_URL === DATABASE_URL) return pooler;
  const [url, { username, password }] = [new URL(pooler), new URL(REQUESTS_DATABASE_URL)];
  return Object.assign(url, { username, password }).href;
}
