/** Inserts the rows that billing wrote again with the bare driver: same columns, indexes and checks, one transaction per invoice. */
import type pg from "pg";
import { cpuSecondsOf } from "../ingest/cpu.ts";

const OF_INVOICE = "join invoices as owner on owner.id = t.invoice_id";

/** How rows without a customer id belong to customers, and which rows are of the run; $2 is the start of the run. */
const TABLES = {
  bills: {},
  invoices: {},
  invoice_bills: { owner: OF_INVOICE },
  invoice_taxes: { owner: OF_INVOICE },
  fees: {},
  fee_taxes: { owner: "join fees as owner on owner.id = t.fee_id" },
  counted_windows: { owner: OF_INVOICE },
  subscription_periods: {
    owner: "join subscriptions as owner on owner.id = t.subscription_id",
    isOfRun: "t.created_at >= $2",
  },
  due_instants: {
    isOfRun:
      "t.id > (lpad(to_hex((extract(epoch from $2::timestamptz) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid",
  },
  outbox: { owner: "join invoices as owner on owner.id = t.object_id" },
  documents: { owner: OF_INVOICE },
} as const satisfies Record<string, { owner?: string; isOfRun?: string }>;

type Table = keyof typeof TABLES;
type Rows = { columns: readonly string[]; byCustomer: ReadonlyMap<string, readonly (string | null)[][]> };
type Bare = { since: string; lanes: number; postmaster: number };

export type BareInserts = Awaited<ReturnType<typeof openBare>>;

/** Inserts the oldest invoices that were not inserted yet, on each call, so that it can take turns with billing. */
export async function openBare(records: pg.Pool, { since, lanes, postmaster }: Bare) {
  await records.query("create schema bare");
  const columnsOf = new Map<Table, readonly string[]>();
  for (const table of Object.keys(TABLES) as Table[]) {
    await records.query(`create table bare.${table} (like ${table} including all)`);
    columnsOf.set(table, await findWritten(records, table));
  }
  const done: string[] = [];
  const spent = { rows: 0, seconds: 0, driver: 0, postgres: 0 };
  const insertNext = async (count: number): Promise<void> => {
    const customers = await findOldest(records, done, count);
    const all = new Map<Table, Rows>();
    for (const [table, columns] of columnsOf)
      all.set(table, await readRows(records, table, { columns, since, customers }));
    const queue = customers.values();
    const cpu = process.cpuUsage();
    const postgres = cpuSecondsOf(postmaster) ?? 0;
    const begun = performance.now();
    await Promise.all(Array.from({ length: lanes }, () => insertAll(records, all, queue)));
    spent.seconds += (performance.now() - begun) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    spent.driver += (user + system) / 1e6;
    spent.postgres += (cpuSecondsOf(postmaster) ?? 0) - postgres;
    for (const { byCustomer } of all.values()) spent.rows += [...byCustomer.values()].flat().length;
    done.push(...customers);
  };
  const figures = () => ({
    invoices: done.length,
    rowsPerInvoice: Number((spent.rows / done.length).toFixed(1)),
    invoicesPerSecond: Number((done.length / spent.seconds).toFixed(1)),
    cpuMsPerInvoice: {
      driver: Number(((1000 * spent.driver) / done.length).toFixed(2)),
      postgres: Number(((1000 * spent.postgres) / done.length).toFixed(2)),
    },
  });
  return { insertNext, figures };
}

/** Not the newest, because rows that follow an invoice, such as its document, may be missing yet. */
async function findOldest(records: pg.Pool, done: readonly string[], count: number): Promise<string[]> {
  const { rows } = await records.query<{ customer_id: string }>(
    `select customer_id from invoices where status = 'finalized' and customer_id <> all($1::uuid[])
     order by id limit $2`,
    [done, count],
  );
  return rows.map(({ customer_id }) => customer_id);
}

async function insertAll(records: pg.Pool, all: ReadonlyMap<Table, Rows>, queue: Iterable<string>): Promise<void> {
  const client = await records.connect();
  try {
    for (const customer of queue) await insertOne(client, all, customer);
  } finally {
    client.release();
  }
}

const asText = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig;

/** The writable columns. */
async function findWritten(records: pg.Pool, table: Table): Promise<string[]> {
  const { rows } = await records.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER' order by ordinal_position`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** Values as text. */
async function readRows(
  records: pg.Pool,
  table: Table,
  { columns, since, customers }: { columns: readonly string[]; since: string; customers: readonly string[] },
): Promise<Rows> {
  const { owner, isOfRun }: { owner?: string; isOfRun?: string } = TABLES[table];
  const customerId = owner ? "owner.customer_id" : "t.customer_id";
  const text = `select ${customerId}, ${columns.map((name) => `t."${name}"`).join(", ")} from ${table} as t ${owner ?? ""}
    where ${customerId} = any($1::uuid[]) and ${isOfRun ?? "true"}`;
  const values = isOfRun ? [customers, since] : [customers];
  const { rows } = await records.query<(string | null)[]>({ text, values, rowMode: "array", types: asText });
  const byCustomer = new Map<string, (string | null)[][]>();
  for (const [customer, ...row] of rows) {
    const own = byCustomer.get(customer ?? "") ?? [];
    own.push(row);
    byCustomer.set(customer ?? "", own);
  }
  return { columns, byCustomer };
}

async function insertOne(client: pg.PoolClient, all: ReadonlyMap<Table, Rows>, customer: string): Promise<void> {
  await client.query("begin");
  for (const [table, { columns, byCustomer }] of all) {
    const rows = byCustomer.get(customer) ?? [];
    if (rows.length === 0) continue;
    const names = columns.map((name) => `"${name}"`).join(", ");
    const places = rows.map(
      (_, row) => `(${columns.map((_, column) => `$${row * columns.length + column + 1}`).join(", ")})`,
    );
    const text = `insert into bare.${table} (${names}) values ${places.join(", ")}`;
    // Named statements are planned once per connection, like those of the service.
    await client.query({ name: `${table} ${rows.length}`, text, values: rows.flat() });
  }
  await client.query("commit");
}
