/** The key of an organization's JWT signatures: created once and kept. API keys with the permission can read its public half. */
import { createPublicKey, generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { Vault } from "../../accounts/index.ts";
import { findSigningKey, insertSigningKey, type SigningKeyRow } from "./store.ts";

const makeKeyPair = promisify(generateKeyPair);

type Deps = { clock: Clock; vault: Vault };

const placeOf = (organizationId: string) => ({
  table: "webhook_keys",
  column: "sealed_private_key",
  row: organizationId,
});

/** Two simultaneous callers get the same key. */
export async function signingKeyOf(tx: Tx, organizationId: string, { clock, vault }: Deps): Promise<SigningKeyRow> {
  const known = await findSigningKey(tx, organizationId);
  if (known) return known;
  const columns = await keyColumnsOf(tx, organizationId, await makeSigningKey(), vault);
  await insertSigningKey(tx, { organization_id: organizationId, ...columns, created_at: clock.now() });
  const kept = await findSigningKey(tx, organizationId);
  if (kept === undefined) throw new Error("the signing key was not stored");
  return kept;
}

/** PEM. */
export async function makeSigningKey(): Promise<string> {
  const { privateKey } = await makeKeyPair("rsa", { modulusLength: 2048 });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** The columns that hold this private key. */
export async function keyColumnsOf(tx: Tx, organizationId: string, privateKey: string, vault: Vault) {
  const sealer = await vault.sealer(tx, organizationId);
  const public_key = toPublic(privateKey);
  if (!sealer) return { private_key: privateKey, sealed_private_key: null, data_key_version: null, public_key };
  return {
    private_key: null,
    sealed_private_key: sealer.seal(placeOf(organizationId), privateKey),
    data_key_version: sealer.version,
    public_key,
  };
}

/** Loads the data key, and returns a function that opens the private key for one call: undefined if it does not open. */
export async function keyOpenerOf(tx: Tx, row: SigningKeyRow, vault: Vault): Promise<() => string | undefined> {
  const { organization_id: organizationId, private_key, sealed_private_key: box, data_key_version: version } = row;
  if (box === null || version === null) return () => private_key ?? undefined;
  const open = await vault.opener(tx, organizationId, version);
  return () => open(placeOf(organizationId), box);
}

/** Base64 of the PEM, as the API shows it. It needs no secret, so it is shown without the key of the service, too. */
export async function publicKeyOf(tx: Tx, organizationId: string, deps: Deps): Promise<string> {
  const { public_key, private_key } = await signingKeyOf(tx, organizationId, deps);
  return Buffer.from(public_key ?? toPublic(private_key ?? "")).toString("base64");
}

const toPublic = (privateKey: string): string =>
  createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString();
