/** Signs a person in by password. Who has a second factor gets a token to go on with, and no session yet. */
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/postgres/database.ts";
import { issueLink } from "../links/index.ts";
import type { CountSecurity } from "../security-log/index.ts";
import {
  type Attempts,
  findUserByEmail,
  normalizeEmail,
  organizationsOfEmail,
  type Passwords,
  type User,
} from "../users/index.ts";
import { sessionErrors, signInRefused } from "./errors.ts";
import { demandSecondFactor, type FactorsOf, type ProvenBy } from "./own-proof.ts";
import { type Browser, raiseSession, startSession } from "./start-session.ts";

export type SignInDeps = {
  dispatcherDb: Database;
  clock: Clock;
  attempts: Attempts;
  passwords: Passwords;
  factorsOf: FactorsOf;
  countSecurity: CountSecurity;
};

export type SignedInWith =
  | { token: string; factors: null }
  /** `token` is for the second step. */
  | { token: string; factors: readonly string[] };

type Credentials = { email: string; password: string; browser: Browser };

export async function signIn(deps: SignInDeps, { email, password, browser }: Credentials): Promise<SignedInWith> {
  const { dispatcherDb, clock } = deps;
  const user = await checkPassword(deps, { email: normalizeEmail(email), password, address: browser.address });
  if (!user) throw signInRefused();
  return continueSignIn(deps, user.id, { methods: ["password"], browser, now: clock.now(), dispatcherDb });
}

type Step = { methods: readonly string[]; browser: Browser; now: Temporal.Instant; dispatcherDb: Database };

/** After a first proof: a session, or the second step. */
async function continueSignIn(
  { factorsOf }: Pick<SignInDeps, "factorsOf">,
  userId: string,
  { dispatcherDb, ...step }: Step,
): Promise<SignedInWith> {
  const factors = await factorsOf(userId);
  if (factors.length === 0) return { token: await startSession(dispatcherDb, { userId, ...step }), factors: null };
  return { ...(await issueLink(dispatcherDb, { kind: "second_factor", userId }, step.now)), factors };
}

type Try = { email: string; password: string; address: string };

/** Counts before it computes, and computes the same whether or not there is such a person. */
async function checkPassword(
  { dispatcherDb, attempts, passwords, countSecurity }: SignInDeps,
  { email, password, address }: Try,
): Promise<User | undefined> {
  await attempts.countNetwork(address);
  await attempts.countEmail(email);
  const user = await findUserByEmail(dispatcherDb, email);
  const isRight = await passwords.matches(password, user?.password_hash);
  const organizations = await organizationsOfEmail(dispatcherDb, email);
  if (isRight && user?.disabled_at === null) return user;
  for (const id of organizations) countSecurity("sign_in_failed", id);
  return undefined;
}

type Again = { password: string; address: string };

/** Proves again who the person of a session is. Returns the new token of the session. */
export async function proveAgain(deps: SignInDeps, session: ProvenBy & { id: string; email: string }, again: Again) {
  const { email, id } = session;
  await demandSecondFactor(deps, session);
  if (!(await checkPassword(deps, { email, ...again }))) throw sessionErrors.problem("password_wrong");
  return raiseSession(deps.dispatcherDb, id, { method: "password", now: deps.clock.now() });
}
