/** A database with the clean rows, and a function that reports what a change breaks. */
import type pg from "pg";
import { checkInvariants, type Finding } from "../check-invariants.ts";
import { readInvariants } from "../read-invariants.ts";
import { cleanWorld } from "./clean-world.ts";
import { invoicesOf } from "./invoice-world.ts";
import { ledgerWorld } from "./ledger-world.ts";
import { mailWorld } from "./mail-world.ts";
import { NOW } from "./names.ts";
import { receivableWorld } from "./receivable-plants.ts";
import type { Row } from "./rows.ts";
import { trailWorld } from "./trail-world.ts";
import { walletWorld } from "./wallet-world.ts";
import { webhookWorld } from "./webhook-world.ts";

type World = { brokenAfter: (statements: string) => Promise<Finding[]> };

/** Expects an empty database. The caller ends the connection. */
export async function openWorld(login: pg.Client): Promise<World> {
  const invariants = await readInvariants();
  const now = Temporal.Instant.from(NOW);
  await login.connect();
  await login.query("begin");
  // Plants copy whole rows, and Postgres takes no value for a generated column.
  await login.query(
    "alter table plan_versions alter column name drop expression, alter column terms_bytes drop expression",
  );
  await insert(login, [...cleanWorld, ...receivableWorld]);
  // An invoice is normally stored before its fees and finalized after them; here it is stored in its final state. The setting lasts for the
  // whole connection: changing it would discard all cached plans.
  await login.query("set session_replication_role = replica");
  await insert(login, [...invoicesOf(cleanWorld), ...ledgerWorld, ...walletWorld, ...webhookWorld, ...mailWorld]);
  await login.query(trailWorld);
  await login.query("select sum_all_invoices()");
  await login.query("commit");
  return {
    /** Runs the statements without triggers and references, and undoes them afterwards. */
    brokenAfter: async (statements) => {
      await login.query("begin");
      try {
        await login.query(statements);
        await login.query("set local role tallystick_verifier");
        const findings = await checkInvariants(login, invariants, { rowsMax: 5, now });
        return findings.filter(({ broken }) => broken > 0);
      } finally {
        await login.query("rollback");
      }
    },
  };
}

async function insert(login: pg.Client, rows: readonly Row[]): Promise<void> {
  for (const { table, values } of rows) {
    const columns = Object.keys(values);
    await login.query(
      `insert into ${table} (${columns}) select ${columns} from jsonb_populate_record(null::${table}, $1)`,
      [JSON.stringify(values)],
    );
  }
}
