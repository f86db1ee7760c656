/** By the domain of a mail address: the provider to go to, and what is remembered until the browser comes back. */
import type { Clock } from "../../../platform/clock.ts";
import type { OutboundHttp } from "../../../platform/outbound-http/outbound-http.ts";
import { type Database, inOrganization } from "../../../platform/postgres/database.ts";
import type { Vault } from "../data-keys/index.ts";
import { hashOf, newToken } from "../links/index.ts";
import { findOrganizationOfDomain } from "../mail-domains/index.ts";
import { authorizationUrl, newRemembered, redirectUriOf } from "./provider-client.ts";
import { secretOf } from "./secrets.ts";
import { findProviderOfDomain, insertProviderSignIn } from "./store.ts";

export type ProviderDeps = {
  db: Database;
  dispatcherDb: Database;
  clock: Clock;
  vault: Vault;
  outbound: OutboundHttp;
  publicUrl: string;
};

const LASTS = { minutes: 10 };

export const domainOf = (email: string): string => email.slice(email.lastIndexOf("@") + 1);

/** `browserToken` is for a cookie. Undefined if no provider signs in people with this address. */
export async function beginSignIn(
  deps: ProviderDeps,
  { email, again }: { email: string; again: boolean },
): Promise<{ url: string; browserToken: string } | undefined> {
  const { db, dispatcherDb, clock, vault, outbound, publicUrl } = deps;
  const domain = domainOf(email);
  const organizationId = await findOrganizationOfDomain(dispatcherDb, domain);
  if (organizationId === undefined) return undefined;
  const provider = await inOrganization(db, organizationId, async (tx) => {
    const row = await findProviderOfDomain(tx, organizationId, domain);
    return row && { ...row, secret: await secretOf(tx, row, vault) };
  });
  if (!provider) return undefined;
  const { id, issuer, client_id: clientId, secret: clientSecret } = provider;
  const remembered = newRemembered();
  const request = { ...remembered, redirectUri: redirectUriOf(publicUrl), email, again };
  const url = await authorizationUrl({ issuer, clientId, clientSecret, outbound }, request);
  const browserToken = newToken();
  const now = clock.now();
  await insertProviderSignIn(dispatcherDb, {
    state_hash: hashOf(remembered.state),
    organization_id: organizationId,
    provider_id: id,
    browser_hash: hashOf(browserToken),
    nonce: remembered.nonce,
    code_verifier: remembered.codeVerifier,
    created_at: now,
    expires_at: now.add(LASTS),
  });
  return { url, browserToken };
}
