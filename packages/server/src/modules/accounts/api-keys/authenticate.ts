/** Finds the organization of a token. The result is cached for three seconds, so a revocation takes effect everywhere within five. */
import { timingSafeEqual } from "node:crypto";
import type { Authenticate, BadToken, Permissions } from "../../../http/auth.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/postgres/database.ts";
import type { CountSecurity } from "../security-log/index.ts";
import { findKeyByKeyId, touchKey } from "./store.ts";
import { hashToken, keyIdOf } from "./token.ts";

const CACHE_MS = 3_000;
const CACHE_KEYS_MAX = 10_000;
const TOUCH_EVERY = { minutes: 1 };

type KeyRow = NonNullable<Awaited<ReturnType<typeof findKeyByKeyId>>>;

/** Compared if no key was found, so that an unknown id takes the same time as a wrong secret. */
const NO_HASH = Buffer.alloc(32);

/** Without `countSecurity`, uses and refusals are not counted. */
export function createAuthenticate(
  dispatcherDb: Database,
  clock: Clock,
  countSecurity: CountSecurity = () => undefined,
): Authenticate {
  const cache = new Map<string, { key: KeyRow; readAt: number }>();

  return async (token, mayLookUp = async () => true) => {
    const keyId = keyIdOf(token);
    if (keyId === undefined) return refuse("malformed");
    const key = await readKey(keyId, mayLookUp);
    const isRight = timingSafeEqual(hashToken(token), key?.token_hash ?? NO_HASH);
    if (!key || !isRight) return refuse("unknown");
    const isExpired = key.expires_at !== null && Temporal.Instant.compare(key.expires_at, clock.now()) <= 0;
    if (key.revoked_at !== null || isExpired) return refuse("ended", key.organization_id);
    countSecurity("key_used", key.organization_id);
    await noteUse(key);
    return {
      organizationId: key.organization_id,
      actor: { kind: "key", id: keyId },
      permissions: key.permissions as Permissions,
      usesDeprecated: key.include_deprecated_fields,
      ignoresUnknown: key.ignore_unknown_members,
      fieldPrefix: key.field_prefix,
    };
  };

  function refuse(reason: BadToken, organizationId?: string): BadToken {
    countSecurity("key_refused", organizationId);
    return reason;
  }

  async function readKey(keyId: string, mayLookUp: () => Promise<boolean>): Promise<KeyRow | undefined> {
    const cached = cache.get(keyId);
    if (cached && performance.now() - cached.readAt < CACHE_MS) return cached.key;
    // A key that worked lately is looked up all the same, so that nobody with the same address can lock it out.
    if (!cached && !(await mayLookUp())) return undefined;
    const readAt = performance.now();
    const key = await findKeyByKeyId(dispatcherDb, keyId);
    cache.delete(keyId);
    if (!key) return undefined;
    if (cache.size >= CACHE_KEYS_MAX) cache.clear();
    cache.set(keyId, { key, readAt });
    return key;
  }

  /** Writes at most once a minute: a busy key must not become a busy row. A refused token does not count as a use of its key. */
  async function noteUse(key: KeyRow): Promise<void> {
    const now = clock.now();
    const isFresh = key.last_used_at !== null && Temporal.Instant.compare(key.last_used_at.add(TOUCH_EVERY), now) > 0;
    if (isFresh) return;
    key.last_used_at = now;
    await touchKey(dispatcherDb, key.key_id, { now, ifBefore: now.subtract(TOUCH_EVERY) });
  }
}
