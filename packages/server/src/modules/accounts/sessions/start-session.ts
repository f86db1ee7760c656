/** Starts a session, and raises one: each proof gives it another token, so that one that leaked before has no part in it. */
import { newId } from "../../../platform/new-id.ts";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import { hashOf, newToken } from "../links/index.ts";
import { countForPerson, dayOf } from "../security-log/index.ts";
import { insertSession, updateProof } from "./store.ts";

export type Browser = { address: string; userAgent: string | undefined };

/** `methods`: what the person proved, of password, totp, passkey and `oidc:<id of the provider>`. */
export type NewSession = { userId: string; methods: readonly string[]; now: Temporal.Instant; browser: Browser };

const USER_AGENT_LENGTH = 300;

/** Returns the token for the cookie. */
export async function startSession(
  dispatcherDb: Database | Tx,
  { userId, methods, now, browser }: NewSession,
): Promise<string> {
  const token = newToken();
  await insertSession(dispatcherDb, {
    id: newId(),
    token_hash: hashOf(token),
    user_id: userId,
    methods: [...methods],
    created_at: now,
    proved_at: now,
    last_used_at: now,
    address: browser.address,
    user_agent: browser.userAgent?.slice(0, USER_AGENT_LENGTH) ?? null,
  });
  await countForPerson(dispatcherDb, { userId, kind: "sign_in_succeeded", day: dayOf(now) });
  return token;
}

/** Adds a method and renews the proof. Returns the new token; undefined if the session has ended. */
export async function raiseSession(
  dispatcherDb: Database | Tx,
  sessionId: string,
  { method, now }: { method: string; now: Temporal.Instant },
): Promise<string | undefined> {
  const token = newToken();
  return (await updateProof(dispatcherDb, sessionId, { tokenHash: hashOf(token), method, now })) ? token : undefined;
}
