/** The rows that billing wrote, inserted again by the bare driver: the same columns, indexes and checks, a transaction for each invoice. */
import type pg from "pg";
import { cpuSecondsOf } from "../ingest/cpu.ts";

const OF_INVOICE = "join invoices as owner on owner.id = t.invoice_id";

/** How the rows of a table belong to customers, where they do not name them themselves, and which of them are of the run; $1 is when it began. */
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
    isOfRun: "t.created_at >= $1",
  },
  due_instants: {
    isOfRun:
      "t.id > (lpad(to_hex((extract(epoch from $1::timestamptz) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid",
  },
  outbox: { owner: "join invoices as owner on owner.id = t.object_id" },
  documents: { owner: OF_INVOICE },
} as const satisfies Record<string, { owner?: string; isOfRun?: string }>;

type Table = keyof typeof TABLES;
type Rows = { columns: readonly string[]; byCustomer: ReadonlyMap<string, readonly (string | null)[][]> };
type Bare = { since: string; lanes: number; invoicesMax: number; postmaster: number };

export async function insertBare(records: pg.Pool, { since, lanes, invoicesMax, postmaster }: Bare) {
  const all = new Map<Table, Rows>();
  await records.query("create schema bare");
  for (const table of Object.keys(TABLES) as Table[]) {
    await records.query(`create table bare.${table} (like ${table} including all)`);
    all.set(table, await readRows(records, table, { since, invoicesMax }));
  }
  const customers = [...(all.get("invoices")?.byCustomer.keys() ?? [])];
  const queue = customers.values();
  const cpu = process.cpuUsage();
  const postgres = cpuSecondsOf(postmaster) ?? 0;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      const client = await records.connect();
      try {
        for (const customer of queue) await insertOne(client, all, customer);
      } finally {
        client.release();
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const rows = [...all.values()].map(({ byCustomer }) => [...byCustomer.values()].flat().length);
  return {
    invoices: customers.length,
    rowsPerInvoice: Number((rows.reduce((sum, count) => sum + count, 0) / customers.length).toFixed(1)),
    invoicesPerSecond: Number((customers.length / seconds).toFixed(1)),
    cpuMsPerInvoice: {
      driver: Number(((user + system) / 1000 / customers.length).toFixed(2)),
      postgres: Number(((1000 * ((cpuSecondsOf(postmaster) ?? 0) - postgres)) / customers.length).toFixed(2)),
    },
  };
}

const asText = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig;

/** As text, with the columns that can be written. */
async function readRows(
  records: pg.Pool,
  table: Table,
  { since, invoicesMax }: Pick<Bare, "since" | "invoicesMax">,
): Promise<Rows> {
  const { rows: written } = await records.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER' order by ordinal_position`,
    [table],
  );
  const columns = written.map(({ name }) => name);
  const { owner, isOfRun }: { owner?: string; isOfRun?: string } = TABLES[table];
  const customerId = owner ? "owner.customer_id" : "t.customer_id";
  const text = `select ${customerId}, ${columns.map((name) => `t."${name}"`).join(", ")} from ${table} as t ${owner ?? ""}
    where ${customerId} in (select customer_id from invoices order by customer_id limit ${invoicesMax})
      and ${isOfRun ?? "true"}`;
  const values = isOfRun ? [since] : [];
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
    // By name: planned once on each connection, as the service's own statements are.
    await client.query({ name: `${table} ${rows.length}`, text, values: rows.flat() });
  }
  await client.query("commit");
}
