/** The signature of a head: whoever can write in the database, but has no master key, cannot make a chain that passes for ours. */
import { isMac, macOf } from "../../../platform/secrets/mac.ts";
import type { MasterKeys } from "../../../platform/secrets/master-keys.ts";
import type { Head } from "./store.ts";

const USE = "activity heads";

const messageOf = (head: Head): string =>
  JSON.stringify([
    head.organization_id,
    String(head.sequence),
    head.chain.toString("hex"),
    String(head.pruned_sequence),
    head.pruned_chain.toString("hex"),
  ]);

/** A head that was never signed passes, because the key may be newer than it. */
export function isGenuine(head: Head, masterKeys: MasterKeys | null): boolean {
  const { mac, master_version: version } = head;
  if (mac === null || version === null) return true;
  return masterKeys !== null && isMac(masterKeys, version, USE, { message: messageOf(head), mac });
}

export function signed(head: Head, masterKeys: MasterKeys | null): Head {
  if (masterKeys === null) return { ...head, mac: null, master_version: null };
  const mac = macOf(masterKeys, masterKeys.first, USE, messageOf(head)) ?? null;
  return { ...head, mac, master_version: masterKeys.first };
}
