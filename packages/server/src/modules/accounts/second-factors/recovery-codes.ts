/** Ten codes that each work once, for a person whose device is lost: 80 random bits, as four groups of four. */
import { createHash, randomBytes } from "node:crypto";
import { toBase32 } from "./totp.ts";

const COUNT = 10;
const BYTES = 10;

export const newRecoveryCodes = (): string[] =>
  Array.from({ length: COUNT }, () => toBase32(randomBytes(BYTES)).replaceAll(/(.{4})(?=.)/g, "$1-"));

/** Of the letters and digits alone, so that it may be typed in any way. */
export const hashOfCode = (code: string): Buffer =>
  createHash("sha256")
    .update(code.toUpperCase().replaceAll(/[^A-Z2-7]/g, ""))
    .digest();
