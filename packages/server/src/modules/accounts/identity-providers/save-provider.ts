/** Makes and changes identity providers. Nobody lets people in with more than they have, and nobody makes owners this way. */
import type { Caller } from "../../../http/auth.ts";
import { invalidMembers, type Problem } from "../../../http/problem.ts";
import type { Clock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/new-id.ts";
import type { OutboundHttp, UrlRefusal } from "../../../platform/outbound-http/outbound-http.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { Vault } from "../data-keys/index.ts";
import { demandWithin } from "../members/index.ts";
import { chooseRole } from "../roles/index.ts";
import { identityProviderErrors } from "./errors.ts";
import type { ProviderRequest, ProviderUpdate } from "./schema.ts";
import { secretColumnsOf } from "./secrets.ts";
import { findProvider, insertProvider, type ProviderRow, updateProvider } from "./store.ts";

type Deps = { clock: Clock; vault: Vault };

const TRUST = "For development, name the host in the setting OUTBOUND_TRUSTED_HOSTS.";
const MEANINGS: Readonly<Record<UrlRefusal, string>> = {
  url_is_invalid: "Send the issuer as a URL, as the provider shows it.",
  https_is_required: `Send an https URL. ${TRUST}`,
  credentials_in_url: "Remove the user name and password from the URL.",
  port_is_not_allowed: `Use the port 443 or 8443. ${TRUST}`,
  address_instead_of_name: `Use a name as the host, not an IP address. ${TRUST}`,
  name_is_not_public: `Use a name on the public internet as the host. ${TRUST}`,
  address_is_not_public: `The host resolves to an address outside of the public internet. Use another host. ${TRUST}`,
};

/** Before the transaction: it may resolve the name. */
export async function refusalOfIssuer(outbound: OutboundHttp, issuer: string): Promise<Problem | undefined> {
  const refused = await outbound.judge(issuer);
  return refused && invalidMembers([{ path: "issuer", code: "value_is_invalid", message: MEANINGS[refused] }]);
}

export async function createProvider(
  tx: Tx,
  caller: Caller,
  { auto_join_role, client_secret, mail_domains, ...requested }: ProviderRequest,
  { clock, vault }: Deps,
): Promise<ProviderRow> {
  const { organizationId } = caller;
  const id = newId();
  const now = clock.now();
  await insertProvider(tx, organizationId, {
    id,
    enabled: true,
    ...requested,
    mail_domains: [...new Set(mail_domains)],
    ...(await roleColumnsOf(tx, caller, auto_join_role ?? null)),
    ...(await secretColumnsOf(tx, { organizationId, id }, client_secret, vault)),
    created_at: now,
    updated_at: now,
  });
  return found(await findProvider(tx, organizationId, id));
}

export async function changeProvider(
  tx: Tx,
  caller: Caller,
  { id, change }: { id: string; change: ProviderUpdate },
  { clock, vault }: Deps,
): Promise<ProviderRow> {
  const { organizationId } = caller;
  const row = found(await findProvider(tx, organizationId, id));
  const { auto_join_role, client_secret, mail_domains, name = row.name, enabled = row.enabled } = change;
  await updateProvider(tx, organizationId, row.id, {
    name,
    enabled,
    mail_domains: [...new Set(mail_domains ?? row.mail_domains)],
    ...(auto_join_role === undefined ? {} : await roleColumnsOf(tx, caller, auto_join_role)),
    ...(client_secret === undefined
      ? {}
      : await secretColumnsOf(tx, { organizationId, id: row.id }, client_secret, vault)),
    updated_at: clock.now(),
  });
  return found(await findProvider(tx, organizationId, id));
}

export function found(row: ProviderRow | undefined): ProviderRow {
  if (!row) throw identityProviderErrors.problem("identity_provider_not_found");
  return row;
}

async function roleColumnsOf(tx: Tx, caller: Caller, code: string | null) {
  if (code === null) return { auto_join_role: null, auto_join_role_id: null };
  const role = await chooseRole(tx, caller.organizationId, code, "auto_join_role");
  const { built_in_role, role_id, permissions } = role;
  if (built_in_role === "owner")
    throw invalidMembers([
      { path: "auto_join_role", code: "value_is_invalid", message: "Send another role: owners are made one by one." },
    ]);
  demandWithin(permissions, caller);
  return { auto_join_role: built_in_role, auto_join_role_id: role_id };
}
