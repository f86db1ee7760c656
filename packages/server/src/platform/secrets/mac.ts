/** Signatures over what anyone may read and only the service may change. Each use has a key of its own, derived from a master key. */
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { MasterKeys } from "./master-keys.ts";

/** Undefined if there is no master key of this version. */
export function macOf({ byVersion }: MasterKeys, version: number, use: string, message: string): Buffer | undefined {
  const master = byVersion.get(version);
  if (!master) return undefined;
  const key = Buffer.from(hkdfSync("sha256", master, "", `tallystick ${use}`, 32));
  return createHmac("sha256", key).update(message).digest();
}

/** False as well if there is no master key of this version. */
export function isMac(
  keys: MasterKeys,
  version: number,
  use: string,
  signed: { message: string; mac: Buffer },
): boolean {
  const expected = macOf(keys, version, use, signed.message);
  return expected !== undefined && expected.length === signed.mac.length && timingSafeEqual(expected, signed.mac);
}
