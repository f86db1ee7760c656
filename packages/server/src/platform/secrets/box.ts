/**
 * A sealed secret: 12 bytes of nonce, the ciphertext, 16 bytes of tag (AES-256-GCM). The place of a box is part of what the tag
 * covers, so a box that was moved to another table, column, organization, row or version does not open.
 */
import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from "node:crypto";

export type Place = {
  table: string;
  column: string;
  organizationId: string;
  row: string;
  /** Of the key that seals the box. */
  version: number;
};

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function sealBox(key: KeyObject, place: Place, content: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(wordsOf(place));
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined if the box was sealed with another key, for another place, or was changed. */
export function openBox(key: KeyObject, place: Place, box: Buffer): Buffer | undefined {
  if (box.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(ALGORITHM, key, box.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(wordsOf(place)).setAuthTag(box.subarray(-TAG_BYTES));
  const start = decipher.update(box.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    return Buffer.concat([start, decipher.final()]);
  } catch {
    // The only failure of `final` is a tag that does not fit.
    return undefined;
  }
}

/** Tables, columns, ids and numbers hold no bar, so no two places have the same words. */
const wordsOf = ({ table, column, organizationId, row, version }: Place): Buffer =>
  Buffer.from(`${table}|${column}|${organizationId}|${row}|${version}`);
