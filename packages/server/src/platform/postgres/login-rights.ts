/** What a login may do beyond the roles that it needs. */
import { sql } from "kysely";
import type { Database } from "./database.ts";
import type { Role } from "./pool.ts";

export type ExcessRights = {
  login: string;
  /** Each in words, as the end of "it …"; empty if there is none. */
  rights: readonly string[];
};

/**
 * The rights of the login of these connections, and of every role that it may become. A connection can return to its login at any time, so
 * the role that it runs in does not count.
 */
export async function findExcessRights(db: Database, needed: readonly Role[]): Promise<ExcessRights> {
  const roles = needed.map((role) => `tallystick_${role}`);
  const { rows } = await sql<Reachable>`
    select r.rolname::text as name, session_user::text as login, r.rolsuper, r.rolcreaterole, r.rolcreatedb, r.rolreplication,
      r.rolbypassrls, r.oid < 16384 as is_predefined,
      exists (select from pg_shdepend d join pg_database b on b.datname = current_database()
        where d.refclassid = 'pg_authid'::regclass and d.refobjid = r.oid and d.deptype = 'o'
          and (d.dbid = b.oid or d.classid = 'pg_database'::regclass and d.objid = b.oid)) as is_owner,
      has_database_privilege(r.oid, current_database(), 'create') or has_schema_privilege(r.oid, 'public', 'create') as may_create
    from pg_roles r
    where pg_has_role(session_user, r.oid, 'member') and r.rolname <> all(${roles})
      -- Being the owner is said already.
      and r.rolname <> 'pg_database_owner'
    order by r.rolname
  `.execute(db);
  const own = rows.find(({ name, login }) => name === login);
  if (!own) throw new Error("the database returned no login");
  // A superuser is a member of every role.
  if (own.rolsuper) return { login: own.login, rights: ["is a superuser"] };
  const others = rows.filter((row) => row !== own).flatMap((row) => describeMembership(row));
  return { login: own.login, rights: [...describeRole(own), ...others] };
}

type Reachable = {
  name: string;
  login: string;
  rolsuper: boolean;
  rolcreaterole: boolean;
  rolcreatedb: boolean;
  rolreplication: boolean;
  rolbypassrls: boolean;
  is_predefined: boolean;
  is_owner: boolean;
  may_create: boolean;
};

function describeRole(role: Reachable): string[] {
  return [
    role.rolsuper ? "is a superuser" : [],
    role.rolcreaterole ? "can create roles (CREATEROLE)" : [],
    role.rolcreatedb ? "can create databases (CREATEDB)" : [],
    role.rolreplication ? "can copy the whole server (REPLICATION)" : [],
    role.rolbypassrls ? "bypasses row level security (BYPASSRLS)" : [],
    role.is_owner ? "owns this database or objects in it" : [],
    role.may_create ? "can create objects in this database (CREATE)" : [],
  ].flat();
}

/** A group without rights of its own is fine: some providers need one for the sign-in. */
function describeMembership(role: Reachable): string[] {
  const rights = describeRole(role);
  const isOfOurs = /^tallystick_(owner|app|dispatcher|verifier)$/.test(role.name);
  if (isOfOurs || role.is_predefined) return [`may act as ${role.name}`];
  return rights.length > 0 ? [`may act as ${role.name}, which ${rights.join(" and ")}`] : [];
}
