/** The second step of a sign-in by password. The token of the first step works once, and only with a second factor of that person. */
import { findLink, hashOf, takeLink } from "../links/index.ts";
import { countForPerson, dayOf } from "../security-log/index.ts";
import { type Browser, type SessionDeps, startSession } from "../sessions/index.ts";
import { findUser } from "../users/index.ts";
import { factorErrors } from "./errors.ts";

type Deps = Pick<SessionDeps, "dispatcherDb" | "clock">;
type Step = { pendingToken: string; browser: Browser };

/** The person of the first step. */
export async function findPending({ dispatcherDb, clock }: Deps, pendingToken: string): Promise<string> {
  const link = await findLink(dispatcherDb, { tokenHash: hashOf(pendingToken), now: clock.now() });
  const user = link?.kind === "second_factor" && link.user_id ? await findUser(dispatcherDb, link.user_id) : undefined;
  if (!user || user.disabled_at !== null) throw factorErrors.problem("pending_sign_in_not_found");
  return user.id;
}

/** `prove` checks the second factor of the person, and returns its name. Returns the token of the session. */
export async function finishSignIn(
  deps: Deps,
  { pendingToken, browser }: Step,
  prove: (userId: string) => Promise<string>,
): Promise<string> {
  const { dispatcherDb, clock } = deps;
  const userId = await findPending(deps, pendingToken);
  const now = clock.now();
  const method = await prove(userId).catch(async (error: unknown) => {
    await countForPerson(dispatcherDb, { userId, kind: "sign_in_failed", day: dayOf(now) });
    throw error;
  });
  return dispatcherDb.transaction().execute(async (tx) => {
    if (!(await takeLink(tx, { tokenHash: hashOf(pendingToken), kind: "second_factor", now })))
      throw factorErrors.problem("pending_sign_in_not_found");
    return startSession(tx, { userId, methods: ["password", method], now, browser });
  });
}
