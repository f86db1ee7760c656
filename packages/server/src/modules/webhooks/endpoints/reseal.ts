/** Seals the secrets of endpoints and the signing keys again: those that are plain, and those under another data key. */
import type { SecretHolder } from "../../accounts/index.ts";
import { columnsOf, openerOf } from "./secrets.ts";
import { keyColumnsOf, keyOpenerOf, makeSigningKey } from "./signing-key.ts";
import {
  countEndpointSecrets,
  countSigningKeys,
  findOrganizationsWithPlainKeys,
  findOrganizationsWithPlainSecrets,
  findSigningKey,
  holdNextSecrets,
  holdSigningKey,
  updateSecrets,
  updateSigningKey,
} from "./store.ts";

/** Deleted endpoints as well: their rows stay. */
const endpointSecrets: SecretHolder = {
  name: "webhook endpoints",
  findPlain: findOrganizationsWithPlainSecrets,
  count: countEndpointSecrets,
  sealNext: async (tx, organizationId, { vault, sealer, after, limit }) => {
    const rows = await holdNextSecrets(tx, organizationId, { version: sealer.version, after, limit });
    let sealed = 0;
    for (const row of rows) {
      const secrets = (await openerOf(tx, row, vault))();
      if (!secrets) continue;
      const columns = await columnsOf(tx, { organizationId, id: row.id }, secrets, vault);
      await updateSecrets(tx, organizationId, row.id, columns);
      sealed++;
    }
    return { last: rows.at(-1)?.id ?? null, sealed };
  },
};

/** One per organization. */
const signingKeys: SecretHolder = {
  name: "signing keys",
  findPlain: findOrganizationsWithPlainKeys,
  count: countSigningKeys,
  sealNext: async (tx, organizationId, { vault, sealer, after }) => {
    const row = after === null ? await holdSigningKey(tx, organizationId) : undefined;
    if (!row || row.data_key_version === sealer.version) return { last: null, sealed: 0 };
    const privateKey = (await keyOpenerOf(tx, row, vault))();
    if (privateKey === undefined) return { last: null, sealed: 0 };
    await updateSigningKey(tx, organizationId, await keyColumnsOf(tx, organizationId, privateKey, vault));
    return { last: null, sealed: 1 };
  },
  /** Receivers read the public key from the API. A secret of an endpoint is different: its owner must rotate it. */
  replaceLost: async (tx, organizationId, vault) => {
    // Made before the row is locked, because it takes long.
    const found = await findSigningKey(tx, organizationId);
    if (!found || (await keyOpenerOf(tx, found, vault))() !== undefined) return 0;
    const made = await makeSigningKey();
    const row = await holdSigningKey(tx, organizationId);
    if (!row || (await keyOpenerOf(tx, row, vault))() !== undefined) return 0;
    await updateSigningKey(tx, organizationId, await keyColumnsOf(tx, organizationId, made, vault));
    return 1;
  },
};

export const webhookSecrets: readonly SecretHolder[] = [endpointSecrets, signingKeys];
