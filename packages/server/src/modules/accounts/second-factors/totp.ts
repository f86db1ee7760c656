/** Codes that an authenticator app shows: RFC 6238 with SHA-1, 30 seconds and 6 digits, which every app understands. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const SECONDS = 30;
const DIGITS = 6;
const SECRET_BYTES = 20;
/** Clocks differ, and people type slowly: the codes before and after count as well. */
const STEPS_AROUND = [0, -1, 1];
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const ISSUER = "Tallystick";

export const newSecret = (): string => toBase32(randomBytes(SECRET_BYTES));

/** The 30 seconds of an instant, counted since 1970. */
export const stepAt = (now: Temporal.Instant): number => Math.floor(now.epochMilliseconds / 1000 / SECONDS);

export function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", fromBase32(secret)).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0x0f;
  const number = (digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, "0");
}

/** The step whose code this is; undefined if it is none of now. */
export function findStep(secret: string, code: string, now: Temporal.Instant): number | undefined {
  const digits = code.replaceAll(/\s/g, "");
  if (!/^\d{6}$/.test(digits)) return undefined;
  const steps = STEPS_AROUND.map((distance) => stepAt(now) + distance);
  return steps.find((step) => timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(digits)));
}

/** What an app reads from a QR code. */
export function otpauthUri(secret: string, email: string): string {
  const query = new URLSearchParams({ secret, issuer: ISSUER, algorithm: "SHA1", digits: "6", period: "30" });
  return `otpauth://totp/${ISSUER}:${encodeURIComponent(email)}?${query}`;
}

export function toBase32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
}
