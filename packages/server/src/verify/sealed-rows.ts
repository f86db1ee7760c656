/**
 * The promise about sealed secrets: each can be opened where it is. It takes the master keys, so it is not an invariant in SQL. Which tables
 * hold boxes is read from the catalog: bytea columns named `sealed_…` beside a `data_key_version`; and the seeds
 * of people, in `totp_factors`.
 */
import type { KeyObject } from "node:crypto";
import type { ClientBase } from "pg";
import { openBox } from "../platform/secrets/box.ts";
import { type MasterKeys, openWithMaster, unwrapDataKey, type WrappedKey } from "../platform/secrets/master-keys.ts";
import type { Finding } from "./check-invariants.ts";

export const SEALED_CHECK = "secrets-can-be-opened";
const PROMISE = "Every sealed secret can be opened with SECRETS_KEY, in the row that it was sealed for.";
const ROWS_AT_ONCE = 1_000;

type Scope = { masterKeys: MasterKeys | null; rowsMax: number; organizationId: string | undefined };
/** People belong to no organization. */
type Unopened = { organization_id: string | null; table: string; row: string };

export async function checkSealedRows(client: ClientBase, { rowsMax, ...scope }: Scope): Promise<Finding> {
  const begun = performance.now();
  const { keys, unopened } = await openDataKeys(client, scope);
  for (const place of await findBoxes(client)) unopened.push(...(await openRows(client, place, keys, scope)));
  if (scope.organizationId === undefined) unopened.push(...(await openPersonalRows(client, scope.masterKeys)));
  const seconds = (performance.now() - begun) / 1000;
  return { name: SEALED_CHECK, promise: PROMISE, broken: unopened.length, rows: unopened.slice(0, rowsMax), seconds };
}

const nameOf = (organizationId: string, version: number): string => `${organizationId} ${version}`;

async function openDataKeys(
  client: ClientBase,
  { masterKeys, organizationId }: Omit<Scope, "rowsMax">,
): Promise<{ keys: Map<string, KeyObject>; unopened: Unopened[] }> {
  const { rows } = await client.query<WrappedKey>(
    `select organization_id as "organizationId", version, master_version as "masterVersion", wrapped
     from data_keys where $1::uuid is null or organization_id = $1::uuid order by organization_id, version`,
    [organizationId ?? null],
  );
  const keys = new Map<string, KeyObject>();
  const unopened: Unopened[] = [];
  for (const row of rows) {
    const key = masterKeys === null ? undefined : unwrapDataKey(masterKeys, row);
    if (key) keys.set(nameOf(row.organizationId, row.version), key);
    else unopened.push({ organization_id: row.organizationId, table: "data_keys", row: String(row.version) });
  }
  return { keys, unopened };
}

type Boxes = { table: string; column: string; id: string };

async function findBoxes(client: ClientBase): Promise<Boxes[]> {
  const { rows } = await client.query<Boxes>(`
    select c.relname as "table", box.attname as "column",
      case when exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'id' and not a.attisdropped
      ) then 'id' else 'organization_id' end as id
    from pg_class c
    join pg_attribute box on box.attrelid = c.oid and box.attname like 'sealed\\_%' and not box.attisdropped
    join pg_attribute v on v.attrelid = c.oid and v.attname = 'data_key_version' and not v.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by 1, 2`);
  return rows;
}

type BoxRow = { organization_id: string; row: string; version: number; box: Buffer };

async function openRows(
  client: ClientBase,
  { table, column, id }: Boxes,
  keys: ReadonlyMap<string, KeyObject>,
  { organizationId }: Pick<Scope, "organizationId">,
): Promise<Unopened[]> {
  const unopened: Unopened[] = [];
  let last: BoxRow | undefined;
  do {
    const { rows } = await client.query<BoxRow>(
      `select organization_id, ${id}::text as row, data_key_version as version, ${column} as box from ${table}
       where ${column} is not null and ($1::uuid is null or organization_id = $1::uuid)
         and ($2::uuid is null or (organization_id, ${id}) > ($2::uuid, $3::uuid))
       order by organization_id, ${id} limit ${ROWS_AT_ONCE}`,
      [organizationId ?? null, last?.organization_id ?? null, last?.row ?? null],
    );
    for (const { organization_id, row, version, box } of rows) {
      const key = keys.get(nameOf(organization_id, version));
      const place = { table, column, organizationId: organization_id, row, version };
      if (!key || openBox(key, place, box) === undefined) unopened.push({ organization_id, table, row });
    }
    last = rows.length === ROWS_AT_ONCE ? rows.at(-1) : undefined;
  } while (last);
  return unopened;
}

/** There are few: one for each person. */
async function openPersonalRows(client: ClientBase, masterKeys: MasterKeys | null): Promise<Unopened[]> {
  const { rows } = await client.query<{ row: string; version: number; box: Buffer }>(
    `select user_id as row, master_version as version, sealed_secret as box from totp_factors
     where sealed_secret is not null order by user_id`,
  );
  const place = { table: "totp_factors", column: "sealed_secret" };
  const isOpen = ({ row, ...sealed }: (typeof rows)[number]) =>
    masterKeys !== null && openWithMaster(masterKeys, { ...place, row }, sealed) !== undefined;
  return rows.filter((one) => !isOpen(one)).map(({ row }) => ({ organization_id: null, table: place.table, row }));
}
