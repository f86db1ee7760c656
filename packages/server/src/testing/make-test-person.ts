/** People of every kind, who have signed in. */
import type { Permissions } from "../http/auth.ts";
import type { Platform } from "../main/compose.ts";
import {
  type BuiltInRole,
  insertMember,
  insertRole,
  insertUser,
  revokeSessions,
  startSession,
} from "../modules/accounts/index.ts";
import { newId } from "../platform/new-id.ts";
import { inOrganization } from "../platform/postgres/database.ts";

export type PersonOptions = {
  /** A role that every organization has, or permissions for one of its own; by default the person is an owner. */
  role?: BuiltInRole;
  permissions?: NonNullable<Permissions>;
  methods?: readonly string[];
  /** When the person signed in; by default now. */
  signedInAt?: Temporal.Instant;
  isRevoked?: boolean;
  /** Belongs to no organization. */
  isStranger?: boolean;
};

export type TestPerson = { userId: string; email: string; token: string; credential: string };

/** `credential` is for `call`: the person acts for that organization. */
export async function makeTestPerson(
  platform: Platform,
  organizationId: string,
  { role = "owner", permissions, methods = ["password"], ...options }: PersonOptions = {},
): Promise<TestPerson> {
  const { db, dispatcherDb, clock } = platform;
  const userId = newId();
  const email = `${userId}@example.com`;
  const now = clock.now();
  const at = { created_at: now, updated_at: now };
  await dispatcherDb
    .transaction()
    .execute((tx) => insertUser(tx, { id: userId, email, name: "Person", created_at: now }));
  if (!options.isStranger)
    await inOrganization(db, organizationId, async (tx) => {
      const own = permissions && {
        ...{ id: newId(), code: userId, name: "Own", permissions: JSON.stringify(permissions) },
        ...at,
      };
      if (own) await insertRole(tx, organizationId, own);
      const ofMember = own ? { built_in_role: null, role_id: own.id } : { built_in_role: role, role_id: null };
      await insertMember(tx, organizationId, { user_id: userId, ...ofMember, ...at });
    });
  const browser = { address: "127.0.0.1", userAgent: undefined };
  const token = await startSession(dispatcherDb, { userId, methods, now: options.signedInAt ?? now, browser });
  if (options.isRevoked) await revokeSessions(dispatcherDb, userId, { now });
  return { userId, email, token, credential: `person ${token} ${organizationId}` };
}
