/** The browser comes back from a provider: a session that proves only what this provider may say. */
import { inOrganization } from "../../../platform/postgres/database.ts";
import { hashOf } from "../links/index.ts";
import { type Browser, startSession } from "../sessions/index.ts";
import type { ProviderDeps } from "./begin-sign-in.ts";
import { identityProviderErrors } from "./errors.ts";
import { findPerson } from "./find-person.ts";
import { readAnswer, redirectUriOf } from "./provider-client.ts";
import { secretOf } from "./secrets.ts";
import { findProvider, takeProviderSignIn } from "./store.ts";

type Return = {
  /** With the question mark. */
  query: string;
  browserToken: string;
  browser: Browser;
  alreadyHere: string | undefined;
};

/** Returns the token of the session. */
export async function finishSignIn(
  deps: ProviderDeps,
  { query, browserToken, browser, alreadyHere }: Return,
): Promise<string> {
  const { db, dispatcherDb, clock, vault, outbound, publicUrl } = deps;
  const answerUrl = new URL(`${redirectUriOf(publicUrl)}${query}`);
  const state = answerUrl.searchParams.get("state") ?? "";
  const taken = { stateHash: hashOf(state), browserHash: hashOf(browserToken), now: clock.now() };
  const signIn = await takeProviderSignIn(dispatcherDb, taken);
  if (!signIn) throw identityProviderErrors.problem("provider_sign_in_unknown");
  const { organization_id: organizationId, provider_id: providerId, nonce, code_verifier: codeVerifier } = signIn;
  const { provider, clientSecret } = await inOrganization(db, organizationId, async (tx) => {
    const row = await findProvider(tx, organizationId, providerId);
    if (!row?.enabled) throw identityProviderErrors.problem("provider_sign_in_unknown");
    return { provider: row, clientSecret: await secretOf(tx, row, vault) };
  });
  const { issuer, client_id: clientId } = provider;
  const remembered = { state, nonce, codeVerifier };
  const claims = await readAnswer({ issuer, clientId, clientSecret, outbound }, answerUrl, remembered);
  return dispatcherDb.transaction().execute(async (tx) => {
    const now = clock.now();
    const userId = await findPerson(tx, { provider, claims, alreadyHere, now });
    return startSession(tx, { userId, methods: [`oidc:${providerId}`], now, browser });
  });
}
