/** Links to files. Anyone with a link can read that file without a key until the link expires. */
import assert from "node:assert/strict";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findLinkKey, insertLinkKey } from "./store.ts";

const VALID = { hours: 7 * 24 };

type ToLink = (documentId: string, name: string) => string;

export async function createLinks(
  tx: Tx,
  organizationId: string,
  { baseUrl, now }: { baseUrl: string; now: Temporal.Instant },
): Promise<ToLink> {
  const key = await findSecret(tx, organizationId, now);
  const expires = Math.floor(now.add(VALID).epochMilliseconds / 1000);
  return (documentId, name) => {
    const signature = sign(key, documentId, expires).toString("base64url");
    const path = `/files/${organizationId}/${documentId}/${encodeURIComponent(name)}.pdf`;
    return `${baseUrl}${path}?expires=${expires}&signature=${signature}`;
  };
}

export type GivenLink = { documentId: string; expires: string; signature: string };

export async function isLinkValid(
  tx: Tx,
  organizationId: string,
  { documentId, expires, signature }: GivenLink,
  now: Temporal.Instant,
): Promise<boolean> {
  if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1000 <= now.epochMilliseconds) return false;
  const key = await findLinkKey(tx, organizationId);
  if (!key) return false;
  const right = sign(key, documentId, Number(expires));
  const input = Buffer.from(signature, "base64url");
  return input.length === right.length && timingSafeEqual(input, right);
}

const sign = (key: Buffer, documentId: string, expires: number): Buffer =>
  createHmac("sha256", key).update(`${documentId} ${expires}`).digest();

/** The organization's signing secret, created on first use. Each signed text begins with its purpose. */
export async function findSecret(tx: Tx, organizationId: string, now: Temporal.Instant): Promise<Buffer> {
  const known = await findLinkKey(tx, organizationId);
  if (known) return known;
  await insertLinkKey(tx, organizationId, { secret: randomBytes(32), at: now });
  const made = await findLinkKey(tx, organizationId);
  assert(made, "the key was just created");
  return made;
}
