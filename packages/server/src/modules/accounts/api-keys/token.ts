/** The text of an API key: `tsk_<8 id>_<32 secret>_<6 checksum>`, base62, so that secret scanners recognize leaked keys. */
import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const TOKEN = /^tsk_([0-9A-Za-z]{8})_([0-9A-Za-z]{32})_([0-9A-Za-z]{6})$/;

export type NewToken = { keyId: string; token: string; hash: Buffer };

export function makeToken(): NewToken {
  const keyId = randomText(8);
  const body = `tsk_${keyId}_${randomText(32)}`;
  const token = `${body}_${checksum(body)}`;
  return { keyId, token, hash: hashToken(token) };
}

/** The part by which a key is looked up; undefined if the text cannot be one of our keys. */
export function keyIdOf(token: string): string | undefined {
  const [, keyId, , input] = TOKEN.exec(token) ?? [];
  return input !== undefined && input === checksum(token.slice(0, -7)) ? keyId : undefined;
}

/** The secret has 190 bits of randomness, so a slow hash is not needed. */
export const hashToken = (token: string): Buffer => createHash("sha256").update(token).digest();

const randomText = (length: number): string =>
  Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");

function checksum(text: string): string {
  let rest = crc32(text);
  let encoded = "";
  for (let digit = 0; digit < 6; digit++) {
    encoded = ALPHABET[rest % 62] + encoded;
    rest = Math.floor(rest / 62);
  }
  return encoded;
}
