/** All SQL on sessions. Over all organizations, for the dispatcher: a browser comes with a cookie and no organization_id. */
import { type Insertable, sql } from "kysely";
import type { Permissions } from "../../../http/auth.ts";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import type { BuiltInRole } from "../roles/index.ts";

export type Membership = {
  organization_id: string;
  name: string;
  is_sandbox: boolean;
  include_deprecated_fields: boolean;
  ignore_unknown_members: boolean;
  field_prefix: string;
  built_in_role: BuiltInRole | null;
  /** Of a role that the organization made. */
  role_code: string | null;
  permissions: Permissions;
  session_idle_minutes: number;
  session_max_hours: number;
  requires_second_factor: boolean;
  requires_sso: boolean;
  /** The ids of its identity providers that are enabled. */
  providers: readonly string[];
};

export type FoundSession = {
  id: string;
  user_id: string;
  email: string;
  user_name: string;
  methods: string[];
  created_at: Temporal.Instant;
  proved_at: Temporal.Instant;
  last_used_at: Temporal.Instant;
  longest_idle_seconds: number;
  revoked_at: Temporal.Instant | null;
  memberships: Membership[];
};

/** Over every organization_id of the person, with what each request needs to know. */
export async function findSession(dispatcherDb: Database | Tx, tokenHash: Buffer): Promise<FoundSession | undefined> {
  const { rows } = await sql<FoundSession>`
    select s.id, s.user_id, u.email, u.name as user_name, s.methods, s.created_at, s.proved_at, s.last_used_at, s.longest_idle_seconds,
      s.revoked_at, coalesce(m.memberships, '[]') as memberships
    from sessions s
    join users u on u.id = s.user_id and u.disabled_at is null
    cross join lateral (
      select jsonb_agg(jsonb_build_object(
        'organization_id', o.id, 'name', o.name, 'is_sandbox', o.is_sandbox, 'field_prefix', o.field_prefix,
        'include_deprecated_fields', o.include_deprecated_fields, 'ignore_unknown_members', o.ignore_unknown_members,
        'built_in_role', m.built_in_role, 'role_code', r.code, 'permissions', r.permissions,
        'session_idle_minutes', coalesce(d.session_idle_minutes, 30), 'session_max_hours', coalesce(d.session_max_hours, 12),
        'requires_second_factor', coalesce(d.requires_second_factor, false), 'requires_sso', coalesce(d.requires_sso, false),
        'providers', array(select p.id from identity_providers p where p.organization_id = o.id and p.enabled)
      ) order by o.created_at, o.id) as memberships
      from members m
      join organizations o on o.id = m.organization_id
      left join roles r on r.organization_id = m.organization_id and r.id = m.role_id
      left join sign_in_rules d on d.organization_id = m.organization_id
      where m.user_id = s.user_id
    ) m
    where s.token_hash = ${tokenHash}`.execute(dispatcherDb);
  return rows[0];
}

/** Over all organizations: a session has no organization_id. */
export async function insertSession(dispatcherDb: Database | Tx, session: Insertable<DB["sessions"]>): Promise<void> {
  await dispatcherDb.insertInto("sessions").values(session).execute();
}

/** Over all organizations: a session has no organization_id. */
export async function touchSession(
  dispatcherDb: Database,
  id: string,
  { now, ifBefore }: { now: Temporal.Instant; ifBefore: Temporal.Instant },
): Promise<void> {
  await sql`
    update sessions set last_used_at = ${now},
      longest_idle_seconds = greatest(longest_idle_seconds, extract(epoch from ${now}::timestamptz - last_used_at)::integer)
    where id = ${id} and last_used_at <= ${ifBefore}`.execute(dispatcherDb);
}

type Raise = { tokenHash: Buffer; method: string; now: Temporal.Instant };

/** Over all organizations: a session has no organization_id. Returns false if the session has ended meanwhile. */
export async function updateProof(
  dispatcherDb: Database | Tx,
  id: string,
  { tokenHash, method, now }: Raise,
): Promise<boolean> {
  const { rows } = await sql`
    update sessions set token_hash = ${tokenHash}, proved_at = ${now}, last_used_at = ${now}, longest_idle_seconds = 0,
      methods = case when ${method} = any(methods) then methods else methods || ${method}::text end
    where id = ${id} and revoked_at is null returning 1`.execute(dispatcherDb);
  return rows.length === 1;
}

/** Over all organizations: a session has no organization_id. */
export const listLiveSessions = (dispatcherDb: Database, userId: string, createdAfter: Temporal.Instant) =>
  dispatcherDb
    .selectFrom("sessions")
    .select(["id", "methods", "created_at", "proved_at", "last_used_at", "address", "user_agent"])
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .where("created_at", ">", createdAfter)
    .orderBy("created_at", "desc")
    .limit(100)
    .execute();

/** Over all organizations: a session has no organization_id. Returns false if the person has no such session. */
export async function revokeSession(
  dispatcherDb: Database | Tx,
  { userId, id, now }: { userId: string; id: string; now: Temporal.Instant },
): Promise<boolean> {
  const { numUpdatedRows } = await dispatcherDb
    .updateTable("sessions")
    .set({ revoked_at: now })
    .where("user_id", "=", userId)
    .where(sql<string>`id::text`, "=", id)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Over all organizations: a session has no organization_id. Ends all sessions of a person, or all but one. */
export async function revokeSessions(
  tx: Tx | Database,
  userId: string,
  { now, except }: { now: Temporal.Instant; except?: string },
): Promise<void> {
  await tx
    .updateTable("sessions")
    .set({ revoked_at: now })
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .$if(except !== undefined, (query) => query.where("id", "<>", except ?? ""))
    .execute();
}

/** Over all organizations: a session has no organization_id. Ends what began at a provider, of people with an address of the domain. */
export async function revokeSessionsOfDomain(dispatcherDb: Database | Tx, domain: string, now: Temporal.Instant) {
  await sql`
    update sessions set revoked_at = ${now} from users
    where users.id = sessions.user_id and split_part(users.email, '@', 2) = ${domain} and revoked_at is null
      and exists (select from unnest(methods) as method where method like 'oidc:%')`.execute(dispatcherDb);
}

/** Over all organizations: a session has no organization_id. */
export async function forgetSessions(dispatcherDb: Database, before: Temporal.Instant): Promise<void> {
  await dispatcherDb.deleteFrom("sessions").where("created_at", "<", before).execute();
}
