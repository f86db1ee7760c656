/**
 * What a database holds, as lines that two runs have in common: every row of every table, ids by the place that they have among all rows
 * and not by what they are. Two databases with the same lines differ in nothing but ids and what `left-out.ts` names.
 */
import { createHash } from "node:crypto";
import { runOn } from "../../packages/server/src/platform/postgres/temporary-database.ts";
import { COLUMNS_LEFT_OUT, TABLES_LEFT_OUT } from "./left-out.ts";

export type Row = { table: string; text: string };
export type Picture = {
  /** With ids by their place. */
  lines: readonly string[];
  /** Without any ids: for people, who want to see what differs and not what hangs on it. */
  plain: readonly string[];
};

const TABLES = `
  select class.relname as name from pg_class class join pg_namespace space on space.oid = class.relnamespace
  where space.nspname = 'public' and class.relkind in ('r', 'p') and not class.relispartition order by 1`;

export async function readRows(url: string): Promise<Row[]> {
  const tables = (await runOn<{ name: string }>(url, TABLES)).filter(({ name }) => !TABLES_LEFT_OUT.has(name));
  // One statement for all of them: each connection and each statement costs more than the few rows.
  const parts = tables.map(({ name }) => {
    const left = (COLUMNS_LEFT_OUT[name] ?? []).map((column) => `'${column}'`).join();
    return `select '${name}' as table, (to_jsonb(whole_row) - array[${left}]::text[])::text as text from "${name}" whole_row`;
  });
  const jobs = "select 'jobs', task_identifier from graphile_worker.jobs";
  return runOn<Row>(url, [...parts, jobs].join(" union all "));
}

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Every round looks one row further: from an event to its fee, its invoice, its customer. */
const ROUNDS = 6;

export function drawPicture(rows: readonly Row[]): Picture {
  const read = rows.map(({ table, text }) => ({ table, parts: text.split(ID), ids: text.match(ID) ?? [] }));
  let places = new Map(read.flatMap(({ ids }) => ids).map((id) => [id, ""]));
  const lineOf = ({ table, parts, ids }: (typeof read)[number]): string =>
    parts.reduce((line, part, index) => `${line}<${places.get(ids[index - 1] ?? "") ?? ""}>${part}`, `${table} `);
  for (let round = 0; round < ROUNDS; round++) {
    const seen = new Map<string, string[]>();
    for (const row of read) {
      const line = digest(lineOf(row));
      for (const [index, id] of row.ids.entries()) seen.set(id, [...(seen.get(id) ?? []), `${line} ${index}`]);
    }
    places = new Map(Array.from(seen, ([id, lines]) => [id, digest(`${places.get(id)} ${lines.sort().join()}`)]));
  }
  return {
    lines: read.map(lineOf).sort(),
    plain: rows.map(({ table, text }) => `${table} ${text.replace(ID, "·")}`).sort(),
  };
}

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 12);

/** In words, as far as it is worth reading; empty where nothing differs. */
export function compare(expected: Picture, found: Picture): string[] {
  const [missing, extra] = [without(expected.plain, found.plain), without(found.plain, expected.plain)];
  if (missing.length + extra.length > 0)
    return [...missing.map((line) => `not there: ${line}`), ...extra.map((line) => `too much: ${line}`)];
  const linked = without(expected.lines, found.lines);
  return linked.map((line) => `belongs to something else: ${line}`);
}

function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    if (count > 0) left.set(line, count - 1);
    return count === 0;
  });
}
