/** All SQL on data_keys and master_keys. */
import { sql } from "kysely";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import type { WrappedKey } from "../../../platform/secrets/master-keys.ts";

const COLUMNS = sql`organization_id as "organizationId", version, master_version as "masterVersion", wrapped`;

/** The key that seals. A shared lock keeps it from being deleted until what it seals is committed. */
export async function findCurrentKey(tx: Tx, organizationId: string): Promise<WrappedKey | undefined> {
  const { rows } = await sql<WrappedKey>`
    select ${COLUMNS} from data_keys
    where organization_id = ${organizationId} and retired_at is null
    for key share`.execute(tx);
  return rows[0];
}

export async function findDataKey(tx: Tx, organizationId: string, version: number): Promise<WrappedKey | undefined> {
  const { rows } = await sql<WrappedKey>`
    select ${COLUMNS} from data_keys where organization_id = ${organizationId} and version = ${version}`.execute(tx);
  return rows[0];
}

export async function findNextVersion(tx: Tx, organizationId: string): Promise<number> {
  const { rows } = await sql<{ next: number }>`
    select coalesce(max(version), 0) + 1 as next from data_keys where organization_id = ${organizationId}`.execute(tx);
  return rows[0]?.next ?? 1;
}

/** Changes nothing if another transaction has made one. */
export async function insertDataKey(tx: Tx, key: WrappedKey, now: Temporal.Instant): Promise<void> {
  await sql`
    insert into data_keys (organization_id, version, master_version, wrapped, created_at)
    values (${key.organizationId}, ${key.version}, ${key.masterVersion}, ${key.wrapped}, ${now})
    on conflict do nothing`.execute(tx);
}

/** Locked until the transaction ends. */
export async function holdKeysToRewrap(tx: Tx, organizationId: string, first: number): Promise<WrappedKey[]> {
  const { rows } = await sql<WrappedKey>`
    select ${COLUMNS} from data_keys
    where organization_id = ${organizationId} and master_version <> ${first}
    order by version for no key update`.execute(tx);
  return rows;
}

export async function updateWrapped(tx: Tx, { organizationId, ...key }: WrappedKey): Promise<void> {
  await sql`
    update data_keys set master_version = ${key.masterVersion}, wrapped = ${key.wrapped}
    where organization_id = ${organizationId} and version = ${key.version}`.execute(tx);
}

export async function findRetiredBefore(
  tx: Tx,
  organizationId: string,
  before: Temporal.Instant,
): Promise<{ version: number }[]> {
  const { rows } = await sql<{ version: number }>`
    select version from data_keys
    where organization_id = ${organizationId} and retired_at < ${before} order by version`.execute(tx);
  return rows;
}

/** Fails with a foreign key violation if a row still needs the key. */
export async function deleteDataKey(tx: Tx, organizationId: string, version: number): Promise<void> {
  await sql`delete from data_keys where organization_id = ${organizationId} and version = ${version}`.execute(tx);
}

/** Over all organizations, for the dispatcher, in one statement, so that an interruption retires all keys or none. */
export async function retireDataKeys(dispatcherDb: Database, now: Temporal.Instant): Promise<void> {
  await sql`update data_keys set retired_at = ${now} where retired_at is null`.execute(dispatcherDb);
}

/** Over all organizations, for the dispatcher: organizations with keys under another master key, or with retired keys. */
export async function findUnsettledKeys(dispatcherDb: Database, first: number): Promise<string[]> {
  const { rows } = await sql<{ organization_id: string }>`
    select organization_id from data_keys where master_version <> ${first}
    union select organization_id from data_keys where retired_at is not null`.execute(dispatcherDb);
  return rows.map(({ organization_id }) => organization_id);
}

/** Over all organizations, for the dispatcher: how many keys each master key seals. */
export async function countDataKeys(dispatcherDb: Database): Promise<{ masterVersion: number; count: number }[]> {
  const { rows } = await sql<{ masterVersion: number; count: number }>`
    select master_version as "masterVersion", count(*)::integer as count from data_keys
    group by master_version order by master_version desc`.execute(dispatcherDb);
  return rows;
}

export type MasterKeyRow = { version: number; proof: Buffer; isUsed: boolean };

/** Over all organizations, for the dispatcher: a master key belongs to none. `isUsed`: it seals a data key or a seed. */
export async function findMasterKeys(dispatcherDb: Database): Promise<MasterKeyRow[]> {
  const { rows } = await sql<MasterKeyRow>`
    select version, proof, exists (
      select from data_keys where data_keys.master_version = master_keys.version
    ) or exists (
      select from totp_factors where totp_factors.master_version = master_keys.version
    ) as "isUsed" from master_keys order by version`.execute(dispatcherDb);
  return rows;
}

/** Over all organizations, for the dispatcher: a master key belongs to none. Keeps the proof of whoever was first, and returns it. */
export async function keepProof(
  dispatcherDb: Database,
  version: number,
  proof: Buffer,
  now: Temporal.Instant,
): Promise<Buffer> {
  await sql`
    insert into master_keys (version, proof, created_at) values (${version}, ${proof}, ${now})
    on conflict do nothing`.execute(dispatcherDb);
  const { rows } = await sql<{ proof: Buffer }>`select proof from master_keys where version = ${version}`.execute(
    dispatcherDb,
  );
  const [row] = rows;
  if (!row) throw new Error(`the proof of master key ${version} was not stored`);
  return row.proof;
}
