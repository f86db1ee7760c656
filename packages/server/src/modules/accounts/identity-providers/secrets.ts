/** The client secret of a provider, in a box if the service has a key, and otherwise as it is. Both forms are read. */
import type { Tx } from "../../../platform/postgres/database.ts";
import { dataKeyErrors, type SecretHolder, type Vault } from "../data-keys/index.ts";
import {
  countProviderSecrets,
  findOrganizationsWithPlainSecrets,
  holdNextProviders,
  type SecretColumns,
  updateProvider,
} from "./store.ts";

type Named = { organizationId: string; id: string };

const placeOf = (id: string) => ({ table: "identity_providers", column: "sealed_client_secret", row: id });

/** The columns that hold this secret. */
export async function secretColumnsOf(
  tx: Tx,
  { organizationId, id }: Named,
  secret: string,
  vault: Vault,
): Promise<SecretColumns> {
  const sealer = await vault.sealer(tx, organizationId);
  if (!sealer) return { client_secret: secret, sealed_client_secret: null, data_key_version: null };
  return {
    client_secret: null,
    sealed_client_secret: sealer.seal(placeOf(id), secret),
    data_key_version: sealer.version,
  };
}

type Sealed = SecretColumns & { organization_id: string; id: string };

/** Undefined if the box does not open. */
async function openSecret(tx: Tx, row: Sealed, vault: Vault): Promise<string | undefined> {
  const { client_secret, sealed_client_secret: box, data_key_version: version } = row;
  if (box === null || version === null) return client_secret ?? undefined;
  const open = await vault.opener(tx, row.organization_id, version);
  return open(placeOf(row.id), box);
}

export async function secretOf(tx: Tx, row: Sealed, vault: Vault): Promise<string> {
  const secret = await openSecret(tx, row, vault);
  if (secret === undefined) throw dataKeyErrors.problem("secrets_key_wrong");
  return secret;
}

export const providerSecrets: SecretHolder = {
  name: "identity providers",
  findPlain: findOrganizationsWithPlainSecrets,
  count: countProviderSecrets,
  sealNext: async (tx, organizationId, { vault, sealer, after, limit }) => {
    const rows = await holdNextProviders(tx, organizationId, { version: sealer.version, after, limit });
    let sealed = 0;
    for (const row of rows) {
      const secret = await openSecret(tx, row, vault);
      if (secret === undefined) continue;
      const columns = await secretColumnsOf(tx, { organizationId, id: row.id }, secret, vault);
      await updateProvider(tx, organizationId, row.id, columns);
      sealed++;
    }
    return { last: rows.at(-1)?.id ?? null, sealed };
  },
};
