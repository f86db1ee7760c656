/**
 * Finds the person of a cookie, and whether the organization that it names lets the session in. A session is read from the database at most
 * every three seconds, so that a revocation takes effect everywhere within five.
 */
import type { Caller, Permissions } from "../../../http/auth.ts";
import type { AuthenticatePerson, BadSession } from "../../../http/people.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/postgres/database.ts";
import { hashOf } from "../links/index.ts";
import { permissionsOf } from "../roles/index.ts";
import { hasOwnProof, hasSecondFactor } from "./own-proof.ts";
import { type FoundSession, findSession, type Membership, touchSession } from "./store.ts";

const CACHE_MS = 3_000;
const CACHE_MAX = 10_000;
const TOUCH_EVERY = { minutes: 1 };
/** Of a person without an organization. */
const DEFAULT_LIMITS = { session_idle_minutes: 30, session_max_hours: 12 };

type Limits = Pick<Membership, "session_idle_minutes" | "session_max_hours">;
type Deps = { dispatcherDb: Database; clock: Clock };

export type SessionReader = {
  /** The session of a cookie, as long as one of its organizations lets it live. */
  find: (cookie: string) => Promise<FoundSession | undefined>;
  authenticate: AuthenticatePerson;
  /** What the organization demands and the session lacks. */
  obstacleOf: (session: FoundSession, membership: Membership) => BadSession | undefined;
  /** After a change in this process; others notice it within three seconds. */
  forget: (cookie: string) => void;
};

export function createSessionReader({ dispatcherDb, clock }: Deps): SessionReader {
  const read = cacheOf(dispatcherDb);
  const find = async (cookie: string, mayLookUp?: () => Promise<boolean>): Promise<FoundSession | undefined> => {
    const session = await read.session(cookie, mayLookUp);
    if (!session || !isAlive(session, widestOf(session.memberships), clock.now())) return undefined;
    return session;
  };
  const obstacleOf = (session: FoundSession, membership: Membership): BadSession | undefined =>
    isAlive(session, membership, clock.now()) ? lackOf(session.methods, membership) : "session_ended";
  return {
    find: async (cookie) => {
      const session = await find(cookie);
      if (session) await noteUse(session);
      return session;
    },
    authenticate: async ({ cookie, organizationId }, mayLookUp) => {
      const session = await find(cookie, mayLookUp);
      if (!session) return "session_ended";
      if (organizationId === undefined) return "organization_missing";
      const membership = session.memberships.find((one) => one.organization_id === organizationId);
      if (!membership) return "organization_not_reached";
      const obstacle = obstacleOf(session, membership);
      if (obstacle) return obstacle;
      await noteUse(session);
      return toCaller(session, membership);
    },
    obstacleOf,
    forget: read.forget,
  };

  /** Writes at most once a minute: a busy session must not become a busy row. */
  async function noteUse(session: FoundSession): Promise<void> {
    const now = clock.now();
    const ifBefore = now.subtract(TOUCH_EVERY);
    if (Temporal.Instant.compare(session.last_used_at, ifBefore) > 0) return;
    session.longest_idle_seconds = Math.max(session.longest_idle_seconds, idleSeconds(session, now));
    session.last_used_at = now;
    await touchSession(dispatcherDb, session.id, { now, ifBefore });
  }
}

function cacheOf(dispatcherDb: Database) {
  const cache = new Map<string, { session: FoundSession; readAt: number }>();
  const session = async (
    cookie: string,
    mayLookUp: () => Promise<boolean> = async () => true,
  ): Promise<FoundSession | undefined> => {
    const cached = cache.get(cookie);
    if (cached && performance.now() - cached.readAt < CACHE_MS) return cached.session;
    if (!cached && !(await mayLookUp())) return undefined;
    const readAt = performance.now();
    const found = await findSession(dispatcherDb, hashOf(cookie));
    cache.delete(cookie);
    if (!found) return undefined;
    if (cache.size >= CACHE_MAX) cache.clear();
    cache.set(cookie, { session: found, readAt });
    return found;
  };
  return { session, forget: (cookie: string) => void cache.delete(cookie) };
}

const idleSeconds = ({ last_used_at }: FoundSession, now: Temporal.Instant): number =>
  Math.max(0, Math.trunc(now.since(last_used_at).total("seconds")));

/** Idle time counts since the last proof: a session that was idle for too long for one organization stays so, whoever else it called. */
function isAlive(session: FoundSession, limits: Limits, now: Temporal.Instant): boolean {
  if (session.revoked_at !== null) return false;
  const ends = session.created_at.add({ hours: limits.session_max_hours });
  const idle = Math.max(session.longest_idle_seconds, idleSeconds(session, now));
  return Temporal.Instant.compare(ends, now) > 0 && idle < limits.session_idle_minutes * 60;
}

export const widestOf = (memberships: readonly Limits[]): Limits =>
  memberships.length === 0
    ? DEFAULT_LIMITS
    : {
        session_idle_minutes: Math.max(...memberships.map((one) => one.session_idle_minutes)),
        session_max_hours: Math.max(...memberships.map((one) => one.session_max_hours)),
      };

type Demands = Pick<Membership, "requires_second_factor" | "requires_sso" | "providers">;

/**
 * A sign-in through a provider of the organization meets all demands: the provider has rules of its own. A provider of another organization
 * proves nothing here, or it could act for anyone who belongs to both.
 */
export function lackOf(methods: readonly string[], demands: Demands): BadSession | undefined {
  if (methods.some((method) => demands.providers.some((id) => method === `oidc:${id}`))) return undefined;
  if (demands.requires_sso) return "sso_needed";
  if (!hasOwnProof(methods)) return "own_sign_in_needed";
  return demands.requires_second_factor && !hasSecondFactor(methods) ? "second_factor_needed" : undefined;
}

const toCaller = (session: FoundSession, membership: Membership): Caller => ({
  organizationId: membership.organization_id,
  actor: { kind: "person", id: session.user_id },
  person: {
    sessionId: session.id,
    methods: session.methods,
    provedAt: session.proved_at,
    isOwner: membership.built_in_role === "owner",
  },
  permissions: permissionsIn(membership),
  usesDeprecated: membership.include_deprecated_fields,
  ignoresUnknown: membership.ignore_unknown_members,
  fieldPrefix: membership.field_prefix,
});

/** A membership without a role that still exists allows nothing. */
export const permissionsIn = ({ built_in_role, permissions }: Membership): Permissions =>
  built_in_role === null ? (permissions ?? {}) : permissionsOf(built_in_role);
