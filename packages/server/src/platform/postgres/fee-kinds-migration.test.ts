/** The kinds that 0031 gives to fees of earlier releases, and what it refuses afterwards. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase } from "../../testing/start-tallystick.ts";

const MIGRATION = "0031-fee-kinds";
const folder = join(import.meta.dirname, "migrations");
const readUp = (name: string) => readFile(join(folder, name, "up.sql"), "utf8");
const id = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`;

const ORGANIZATION = id(1);
const login = new pg.Client({ connectionString: await createTestDatabase() });

/** As the release before the migration wrote it, unless `kind` is named. */
async function insertFee(number: number, values: object): Promise<void> {
  const row = {
    organization_id: ORGANIZATION,
    id: id(number),
    customer_id: id(2),
    subscription_id: id(3),
    fee_key: `key ${number}`,
    line: 0,
    item_id: id(4),
    item_code: "item",
    item: {},
    grouped_by: {},
    pay_in_advance: false,
    invoiceable: false,
    is_renewal: false,
    regroups: false,
    currency: "EUR",
    amount_cents: 100,
    precise_amount_cents: 100,
    precise_unit_amount: 1,
    precise_coupons_amount_cents: 0,
    taxes_amount_cents: 0,
    taxes_rate: 0,
    units: 1,
    payment_status: "pending",
    derivation: {},
    created_at: "2024-01-01T00:00:00Z",
    has_receivable: false,
    ...values,
  };
  const columns = Object.keys(row);
  const statement = `insert into fees (${columns}) select ${columns} from jsonb_populate_record(null::fees, $1)`;
  await login.query(statement, [JSON.stringify(row)]);
}

const charge = (type: string) => ({ fee_type: "charge", charge_id: id(5), derivation: { type } });
const onInvoice = (fee_type: string) => ({ fee_type, invoice_id: id(6), invoiceable: true });
const EVENT = { event_id: id(7), event_transaction_id: "t" };

const OLD: readonly (readonly [kind: string, values: object])[] = [
  ["subscription", onInvoice("subscription")],
  ["commitment", onInvoice("commitment")],
  ["add_on", { ...onInvoice("add_on"), subscription_id: null }],
  ["credit", { ...onInvoice("credit"), subscription_id: null }],
  ["usage", charge("usage")],
  ["renewal", { ...charge("renewal"), is_renewal: true }],
  ["true_up", charge("charge_minimum")],
  ["in_advance", { ...charge("in_advance"), ...EVENT }],
  ["prorated", charge("in_advance")],
];

const kindOf = async (number: number) =>
  (await login.query<{ kind: string }>("select kind from fees where id = $1", [id(number)])).rows[0]?.kind;

const GUARDS = `select relforcerowsecurity as forced, tgenabled as enabled
  from pg_class join pg_trigger on tgrelid = pg_class.oid and tgname = 'stays_as_billed' where relname = 'fees'`;
let guards: object[] = [];

beforeAll(async () => {
  await login.connect();
  await login.query(await readFile(join(import.meta.dirname, "bootstrap.sql"), "utf8"));
  await login.query("set role tallystick_owner");
  const names = (await readdir(folder)).sort();
  for (const name of names.slice(0, names.indexOf(MIGRATION))) await login.query(await readUp(name));
  await login.query("reset role; set session_replication_role = replica");
  for (const [index, [, values]] of OLD.entries()) await insertFee(100 + index, values);
  await login.query("set session_replication_role = default; set role tallystick_owner");
  await login.query(`begin; ${await readUp(MIGRATION)}; commit`);
  guards = (await login.query(GUARDS)).rows;
  // What fees refer to is not there.
  await login.query(
    "reset role; alter table fees disable trigger all; alter table fees enable trigger kind_of_previous_release",
  );
});
afterAll(() => login.end());

test("each fee that was there has its kind, and its guards are on again", async () => {
  for (const [index, [kind]] of OLD.entries()) expect(await kindOf(100 + index)).toBe(kind);
  expect(guards).toEqual([{ forced: true, enabled: "O" }]);
});

test("a fee that a process of the previous release inserts gets its kind", async () => {
  for (const [index, [kind, values]] of OLD.entries()) {
    const other = "event_id" in values ? { event_id: id(8) } : {};
    await insertFee(200 + index, { ...values, ...other });
    expect(await kindOf(200 + index)).toBe(kind);
  }
});

test.each([
  ["an unknown kind", { ...charge("usage"), kind: "other" }, "fees_kind"],
  ["the kind of another type", { ...charge("usage"), kind: "subscription" }, "fees_kind_fits"],
  ["a renewal that is none", { ...charge("usage"), kind: "renewal" }, "fees_kind_of_renewal"],
  ["one event in advance without the event", { ...charge("in_advance"), kind: "in_advance" }, "fees_kind_of_event"],
  [
    "usage in arrears of one event",
    { ...charge("usage"), ...EVENT, event_id: id(9), kind: "usage" },
    "fees_kind_of_event",
  ],
])("the database refuses %s", async (_, values, constraint) => {
  await expect(insertFee(300, values)).rejects.toThrow(constraint);
});
