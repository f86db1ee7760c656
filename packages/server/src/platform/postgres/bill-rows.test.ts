/** The stored rows of bills. */
import { sql } from "kysely";
import { expect, test } from "vitest";
import { startTallystick } from "../../testing/start-tallystick.ts";
import { inOrganization } from "./database.ts";

let realNow = Temporal.Instant.from("2026-06-01T09:00:00Z");
const service = await startTallystick({ clock: { now: () => realNow }, settings: { SETTLE_DELAY_SECONDS: "600" } });
const { call, drain, platform, organizations } = service;
const organizationId = organizations[0]?.id ?? "";

const members = { interval: "monthly", amount_currency: "EUR", pay_in_advance: true };
for (const [code, amount] of [
  ["small", 1000],
  ["large", 2000],
] as const)
  await call("POST", "/plans", { plan: { ...members, name: code, code, amount_cents: amount } });

const subscribe = (external_customer_id: string, external_id: string, plan_code: string) =>
  call("POST", "/subscriptions", { subscription: { external_customer_id, external_id, plan_code } });

/** The bills of a customer, each as "plan reason instant +delay: fee; usage; who shares its invoice". */
async function billsOf(externalId: string): Promise<string[]> {
  const { rows } = await inOrganization(platform.db, organizationId, (tx) =>
    sql<{ bill: string; key: string }>`
      select plans.code || ' ' || bills.reason || ' ' || to_char(occurred_at at time zone 'UTC', 'MM-DD HH24:MI') || ' +'
        || extract(epoch from ready_at - occurred_at)::int || ': '
        || coalesce(windows->'fee'->>'firstDay' || '/' || (windows->'fee'->>'lastDay'), '-') || '; '
        || coalesce(to_char(charges_from at time zone 'UTC', 'MM-DD HH24:MI') || '/'
          || to_char(charges_to at time zone 'UTC', 'MM-DD HH24:MI'), '-') as bill,
        case when invoice_key = customers.id then 'customer' else coalesce(owner.external_id, '') end as key
      from bills
      join subscriptions on subscriptions.id = bills.subscription_id
      join plans on plans.id = subscriptions.plan_id
      join customers on customers.id = bills.customer_id
      left join subscriptions as owner on owner.id = bills.invoice_key
      where bills.organization_id = ${organizationId} and customers.external_id = ${externalId}
      order by occurred_at, bills.id`.execute(tx),
  );
  return rows.map(({ bill, key }) => `${bill}; ${key}`);
}

test("on the real clock, the bill of a period end or an end waits for the settle delay; the status does not", async () => {
  await subscribe("real", "r", "small");
  realNow = Temporal.Instant.from("2026-07-01T00:00:00Z");
  await drain();
  const { body } = await call("GET", "/subscriptions/r");
  expect(body.subscription.current_billing_period_started_at).toBe("2026-07-01T00:00:00Z");
  realNow = Temporal.Instant.from("2026-07-10T12:00:00Z");
  await subscribe("real", "r", "large");
  await call("DELETE", "/subscriptions/r");
  expect(await billsOf("real")).toEqual([
    "small starting 06-01 09:00 +0: 2026-06-01/2026-06-30; -; r",
    "small periodic 07-01 00:00 +600: 2026-07-01/2026-07-31; 06-01 09:00/07-01 00:00; customer",
    "small terminating 07-10 12:00 +600: -; 07-01 00:00/07-10 12:00; r",
    "large starting 07-10 12:00 +0: 2026-07-10/2026-07-31; -; r",
    "large terminating 07-10 12:00 +600: -; -; r",
  ]);
});

test("on a test clock nothing waits; a plan change has one invoice", async () => {
  const { body } = await call("POST", "/test_clocks", { test_clock: { name: "bills", now: "2024-01-10T10:00:00Z" } });
  const testClock = `/test_clocks/${body.test_clock.svc_id}`;
  await call("POST", "/customers", { customer: { external_id: "tested", test_clock_id: body.test_clock.svc_id } });
  await subscribe("tested", "a", "large");
  await subscribe("tested", "a", "small");
  await subscribe("tested", "b", "small");
  await call("POST", `${testClock}/advance`, { test_clock: { now: "2024-02-01T00:00:00Z" } });
  expect((await billsOf("tested")).slice(2).sort()).toEqual([
    "large terminating 02-01 00:00 +0: -; 01-10 10:00/02-01 00:00; a",
    "small periodic 02-01 00:00 +0: 2024-02-01/2024-02-29; 01-10 10:00/02-01 00:00; customer",
    "small starting 02-01 00:00 +0: 2024-02-01/2024-02-29; -; a",
  ]);
});

test("a bill, a start and an end never change", async () => {
  const forbidden = [
    [sql`update bills set ready_at = ready_at + interval '1 day'`, /never changes/],
    // The invoice's constraint fails first.
    [sql`delete from bills`, /on table "invoice_bills"/],
    [
      sql`update subscriptions set started_at = started_at + interval '1 hour' where status = 'active'`,
      /never changes/,
    ],
    [
      sql`update subscriptions set status = 'active', terminated_at = null, end_cause = null where status = 'terminated' and plan_id = (select id from plans where code = 'large') and external_id = 'r'`,
      /is terminated for/,
    ],
  ] as const;
  for (const [statement, message] of forbidden)
    await expect(inOrganization(platform.db, organizationId, (tx) => statement.execute(tx))).rejects.toThrow(message);
});
