/** What the database itself refuses for the ledger, for any writer. */
import { type RawBuilder, sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { startTallystick } from "../../testing/start-tallystick.ts";
import { newId } from "../new-id.ts";
import { inOrganization } from "./database.ts";

const { call, platform, organizations } = await startTallystick();
const organizationId = organizations[0]?.id ?? "";
const { body } = await call("POST", "/customers", { customer: { external_id: "owner", currency: "EUR" } });
const customerId: string = body.customer.svc_id;
const [owner, source] = [newId(), newId()];

const attempt = (...statements: RawBuilder<unknown>[]): Promise<string> =>
  inOrganization(platform.db, organizationId, async (tx) => {
    for (const statement of statements) await statement.execute(tx);
  }).then(
    () => "done",
    (error: unknown) => String((error as Error).message),
  );

const entry = (transfer: string, account: string, amount: number, of = source) => sql`
  insert into ledger_entries (organization_id, id, transfer_id, account_kind, account_id, customer_id, currency, amount_cents,
    source_kind, source_id, occurred_at, created_at)
  values (${organizationId}, ${newId()}, ${transfer}, ${account}, ${owner}, ${customerId}, 'EUR', ${amount}, 'test', ${of}, now(), now())`;
const both = (transfer: string, of = source) => [entry(transfer, "granted", -5, of), entry(transfer, "wallet", 5, of)];

beforeAll(async () => expect(await attempt(...both(newId()))).toBe("done"));

test("an effect happens once", async () => {
  expect(await attempt(...both(newId()))).toMatch("ledger_entries_once");
  expect(await attempt(...both(newId(), newId()))).toBe("done");
});

test("the entries of a transfer come to 0", async () => {
  const [transfer, of] = [newId(), newId()];
  expect(await attempt(entry(transfer, "wallet", 5, of))).toBe(`the entries of transfer ${transfer} do not come to 0`);
});

test("entries never change, and an entry of 0 is refused", async () => {
  const ofIt = sql`organization_id = ${organizationId}`;
  expect(await attempt(sql`update ledger_entries set amount_cents = 1 where ${ofIt}`)).toMatch("permission denied");
  expect(await attempt(sql`delete from ledger_entries where ${ofIt}`)).toMatch("permission denied");
  expect(await attempt(entry(newId(), "wallet", 0, newId()))).toMatch("check constraint");
});
