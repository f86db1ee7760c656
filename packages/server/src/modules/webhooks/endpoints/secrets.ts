/** The secrets of an endpoint, in one box if the service has a key, and otherwise as they are. Both forms are read. */

import type { Tx } from "../../../platform/postgres/database.ts";
import type { Vault } from "../../accounts/index.ts";
import { type SealedEndpoint, SHOWN_CHARACTERS } from "./schema.ts";

type OldSecret = { secret: string; until: Temporal.Instant };
/** `old`: replaced secrets, newest first, including those that have expired. */
export type EndpointSecrets = { secret: string; old: readonly OldSecret[] };

const placeOf = (id: string) => ({ table: "webhook_endpoints", column: "sealed_secrets", row: id });

type Stored = { secret: string; old: readonly { secret: string; until: string }[] };

/** The columns that hold these secrets. */
export async function columnsOf(
  tx: Tx,
  { organizationId, id }: { organizationId: string; id: string },
  { secret, old }: EndpointSecrets,
  vault: Vault,
) {
  const sealer = await vault.sealer(tx, organizationId);
  const secret_last4 = secret.slice(-SHOWN_CHARACTERS);
  const stored = { secret, old: old.map((one) => ({ secret: one.secret, until: one.until.toString() })) };
  if (!sealer)
    return {
      secret,
      old_secrets: JSON.stringify(stored.old),
      secret_last4,
      sealed_secrets: null,
      data_key_version: null,
    };
  return {
    secret: null,
    old_secrets: "[]",
    secret_last4,
    sealed_secrets: sealer.seal(placeOf(id), JSON.stringify(stored)),
    data_key_version: sealer.version,
  };
}

/** Loads the key, and returns a function that opens: what it returns is for one call. It returns undefined if the box does not open. */
export async function openerOf(tx: Tx, row: SealedEndpoint, vault: Vault): Promise<() => EndpointSecrets | undefined> {
  const { secret, sealed_secrets: box, data_key_version: version } = row;
  if (box === null || version === null)
    return () => fromStored({ secret: secret ?? "", old: row.old_secrets as never });
  const open = await vault.opener(tx, row.organization_id, version);
  return () => {
    const text = open(placeOf(row.id), box);
    return text === undefined ? undefined : fromStored(JSON.parse(text) as Stored);
  };
}

const fromStored = ({ secret, old }: Stored): EndpointSecrets => ({
  secret,
  old: old.map((one) => ({ secret: one.secret, until: Temporal.Instant.from(one.until) })),
});

export const workingOldSecrets = ({ old }: EndpointSecrets, now: Temporal.Instant): OldSecret[] =>
  old.filter(({ until }) => Temporal.Instant.compare(until, now) > 0);
