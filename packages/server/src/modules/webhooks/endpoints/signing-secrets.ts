/** What signs the messages to an endpoint. Secrets are opened for each message, and kept for no longer. */

import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { Vault } from "../../accounts/index.ts";
import type { WebhookEndpointRow } from "./schema.ts";
import { openerOf, workingOldSecrets } from "./secrets.ts";
import { keyOpenerOf, signingKeyOf } from "./signing-key.ts";

export type SigningSecrets = {
  secret: string;
  /** Replaced secrets that still work. */
  oldSecrets: readonly string[];
  /** PEM; empty if the endpoint does not use it. */
  privateKey: string;
};

/** Undefined if the secrets cannot be opened: then nothing is sent. */
export async function signingSecretsOf(
  tx: Tx,
  endpoint: WebhookEndpointRow,
  deps: { clock: Clock; vault: Vault },
): Promise<((now: Temporal.Instant) => SigningSecrets) | undefined> {
  const openSecrets = await openerOf(tx, endpoint, deps.vault);
  const openKey =
    endpoint.signature_algo === "jwt"
      ? await keyOpenerOf(tx, await signingKeyOf(tx, endpoint.organization_id, deps), deps.vault)
      : () => "";
  const open = (now: Temporal.Instant): SigningSecrets | undefined => {
    const [secrets, privateKey] = [openSecrets(), openKey()];
    if (secrets === undefined || privateKey === undefined) return undefined;
    const oldSecrets = workingOldSecrets(secrets, now).map(({ secret }) => secret);
    return { secret: secrets.secret, oldSecrets, privateKey };
  };
  if (!open(deps.clock.now())) return undefined;
  return (now) => {
    const opened = open(now);
    if (!opened) throw new Error("a box that was opened before does not open");
    return opened;
  };
}
