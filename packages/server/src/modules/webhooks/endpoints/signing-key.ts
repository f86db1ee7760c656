/** The key of an organization's JWT signatures: made once, kept forever, its public half for whoever may read it. */
import { createPublicKey, generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findPrivateKey, insertPrivateKey } from "./store.ts";

const makeKeyPair = promisify(generateKeyPair);

/** PEM. Two who make it at once get the same one. */
export async function signingKeyOf(tx: Tx, organizationId: string, clock: Clock): Promise<string> {
  const known = await findPrivateKey(tx, organizationId);
  if (known !== undefined) return known;
  const { privateKey } = await makeKeyPair("rsa", { modulusLength: 2048 });
  await insertPrivateKey(
    tx,
    organizationId,
    privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    clock.now(),
  );
  const kept = await findPrivateKey(tx, organizationId);
  if (kept === undefined) throw new Error("the signing key was not kept");
  return kept;
}

/** Base64 of the PEM, as the API shows it. */
export async function publicKeyOf(tx: Tx, organizationId: string, clock: Clock): Promise<string> {
  const privateKey = await signingKeyOf(tx, organizationId, clock);
  const pem = createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString();
  return Buffer.from(pem).toString("base64");
}
