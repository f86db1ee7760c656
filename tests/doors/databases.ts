// What is on a server, looked at from outside.

import pg from "pg";

export async function queryOn<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

export async function listDatabases(url: string): Promise<string[]> {
  const rows = await queryOn<{ datname: string }>(url, "select datname from pg_database order by datname");
  return rows.map((row) => row.datname);
}
