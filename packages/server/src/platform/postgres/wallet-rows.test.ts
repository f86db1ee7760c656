/** What the database itself refuses for wallets, for any writer. */
import { type RawBuilder, sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { startTallystick } from "../../testing/start-tallystick.ts";
import { inOrganization } from "./database.ts";

const { call, platform, organizations } = await startTallystick();
const organizationId = organizations[0]?.id ?? "";
let walletId = "";

const attempt = (statement: RawBuilder<unknown>): Promise<string> =>
  inOrganization(platform.db, organizationId, (tx) => statement.execute(tx)).then(
    () => "done",
    (error: unknown) => String((error as Error).message),
  );
const ofIt = sql`organization_id = ${organizationId}`;
/** A copy of a transaction with another id. */
const again = (kind: string) => sql`
  insert into wallet_transactions
  select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid()))).* from wallet_transactions t
  where ${ofIt} and transaction_status = ${kind}`;

beforeAll(async () => {
  await call("POST", "/customers", { customer: { external_id: "owner", currency: "EUR" } });
  const credits = { paid_credits: "5", granted_credits: "5", rate_amount: "1" };
  const { body } = await call("POST", "/wallets", { wallet: { external_customer_id: "owner", ...credits } });
  walletId = body.wallet.svc_id;
});

test("a balance is never negative, and the rate and currency of a wallet never change", async () => {
  const set = (columns: RawBuilder<unknown>) =>
    attempt(sql`update wallets set ${columns} where ${ofIt} and id = ${walletId}`);
  expect(await set(sql`balance_cents = balance_cents - 501`)).toMatch("check constraint");
  expect(await set(sql`rate_amount = 2`)).toMatch("never changes");
  expect(await set(sql`currency = 'USD'`)).toMatch("never changes");
  expect(await set(sql`name = 'other'`)).toBe("done");
  expect(await attempt(sql`delete from wallets where ${ofIt}`)).not.toBe("done");
});

test("a purchase has its own invoice, and a settled transaction never changes", async () => {
  expect(await attempt(again("purchased"))).toMatch("wallet_transactions_purchase");
  const set = (columns: RawBuilder<unknown>, kind: string) =>
    attempt(sql`update wallet_transactions set ${columns} where ${ofIt} and transaction_status = ${kind}`);
  expect(await set(sql`amount_cents = 501`, "purchased")).toMatch("never changes");
  expect(await set(sql`status = 'settled'`, "purchased")).toMatch("check constraint");
  expect(await set(sql`status = 'failed', settled_at = null, failed_at = now()`, "granted")).toMatch(
    "check constraint",
  );
  expect(await set(sql`settled_at = now()`, "granted")).toMatch("is settled");
  expect(await attempt(sql`delete from wallet_transactions where ${ofIt}`)).toMatch("never changes");
});

test("a balance is the sum of its lots at the end of every transaction", async () => {
  const lots = (columns: RawBuilder<unknown>) =>
    attempt(sql`update wallet_transactions set ${columns} where ${ofIt} and transaction_status = 'granted'`);
  const sum = "does not hold the sum of its lots";
  expect(await lots(sql`remaining_amount_cents = 499`)).toMatch(sum);
  expect(await lots(sql`remaining_amount_cents = 501`)).toMatch("check constraint");
  expect(await attempt(sql`update wallets set balance_cents = 499 where ${ofIt}`)).toMatch(sum);
  const both = sql`
    with lot as (update wallet_transactions set remaining_amount_cents = 400 where ${ofIt} and transaction_status = 'granted')
    update wallets set balance_cents = 400 where ${ofIt}`;
  expect(await attempt(both)).toBe("done");
  const ended = sql`update wallets set status = 'terminated', terminated_at = now() where ${ofIt}`;
  expect(await attempt(ended)).toMatch("wallets_ended_hold_nothing");
});

test("an unsettled or bounced purchase has no credits, and movements of lots never change", async () => {
  const purchase = (columns: RawBuilder<unknown>) =>
    attempt(sql`update wallet_transactions set ${columns} where ${ofIt} and transaction_status = 'purchased'`);
  expect(await purchase(sql`remaining_amount_cents = 1, withheld_amount_cents = 0`)).toMatch("check constraint");
  expect(await purchase(sql`bounced_at = now()`)).toMatch("check constraint");
  expect(await attempt(sql`delete from wallet_lot_movements where ${ofIt}`)).toMatch("permission denied");
});

test("a wallet has one rule at most", async () => {
  const add = sql`
    insert into wallet_rules (organization_id, id, wallet_id, status, trigger, threshold_credits, method, paid_credits,
      granted_credits, created_at)
    values (${organizationId}, gen_random_uuid(), ${walletId}, 'active', 'threshold', 1, 'fixed', 1, 0, now())`;
  expect(await attempt(add)).toBe("done");
  expect(await attempt(add)).toMatch("wallet_rules_one");
});
