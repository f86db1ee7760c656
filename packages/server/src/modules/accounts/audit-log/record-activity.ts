/** Adds an entry to the trail of an organization, in the transaction of the change. It waits for nothing and locks nothing. */
import { createHash, randomBytes } from "node:crypto";
import { newId } from "../../../platform/new-id.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { withoutSecrets } from "../../../platform/telemetry/log.ts";
import { insertActivity } from "./store.ts";

export type Entry = {
  at: Temporal.Instant;
  /** Commands and services act without a request. */
  actor: { kind: "key" | "person" | "command" | "service"; id: string };
  address?: string | null;
  operation: string;
  object: { type: string; id: string | null };
  requestId?: string | null;
  /** JSON: `{"member": [before, after]}`. */
  difference?: string | null;
};

const SALT_BYTES = 16;

/** Returns the id of the activity. */
export async function recordActivity(tx: Tx, organizationId: string, entry: Entry): Promise<string> {
  const { at, actor, address = null, operation, object } = entry;
  // A caller can put a key into any text by mistake.
  const [difference, requestId, objectId] = [entry.difference, entry.requestId, object.id].map((text) =>
    text ? withoutSecrets(text) : null,
  ) as [string | null, string | null, string | null];
  // Without the salt, whoever knows the digest could try out values that were erased.
  const salt = difference === null ? null : randomBytes(SALT_BYTES);
  const id = newId();
  await insertActivity(tx, organizationId, {
    id,
    created_at: at,
    actor_kind: actor.kind,
    actor_id: actor.id,
    address,
    operation,
    object_type: object.type,
    object_id: objectId,
    request_id: requestId,
    difference,
    salt,
    difference_digest:
      salt &&
      createHash("sha256")
        .update(salt)
        .update(difference ?? "")
        .digest(),
  });
  return id;
}
