/** Plan rows that no API response shows: when a version is created, that it never changes, and what follows it. */
import pg from "pg";
import { afterAll, beforeAll, expect, it, test } from "vitest";
import { startTallystick } from "../../testing/start-tallystick.ts";
import { createPool } from "./pool.ts";

const { platform, call, organizations } = await startTallystick();
const url = platform.config.DATABASE_URL;
const login = new pg.Client({ connectionString: url });
beforeAll(() => login.connect());
afterAll(() => login.end());

type Version = { version: number; terms: { name: string; charges: { id: string; filters: { id: string }[] }[] } };

async function versionsOf(code: string): Promise<Version[]> {
  const { rows } = await login.query<Version>(
    `select v.version, v.terms from plan_versions v join plans p on p.organization_id = v.organization_id and p.id = v.plan_id
     where p.code = $1 order by v.version`,
    [code],
  );
  return rows;
}

async function liveRows(code: string): Promise<Record<string, number>> {
  const { rows } = await login.query(
    `with plan as (select organization_id, id from plans where code = $1)
     select
       (select count(*)::int from charges where plan_id = (select id from plan) and deleted_at is null) as charges,
       (select count(*)::int from charge_filters f join charges c on c.id = f.charge_id
         where c.plan_id = (select id from plan) and f.deleted_at is null) as filters,
       (select count(*)::int from minimum_commitments where plan_id = (select id from plan) and deleted_at is null)
         as commitments`,
    [code],
  );
  return rows[0];
}

const change = (code: string, plan: object) => call("PUT", `/plans/${code}`, { plan });

async function makeCharge(metricCode: string): Promise<object> {
  const billable_metric = {
    name: metricCode,
    code: metricCode,
    aggregation_type: "count_agg",
    filters: [{ key: "region", values: ["eu", "us"] }],
  };
  const { body } = await call("POST", "/billable_metrics", { billable_metric });
  const filters = [{ values: { region: ["eu"] } }, { values: { region: ["us"] } }];
  return { billable_metric_id: body.billable_metric.svc_id, charge_model: "standard", filters };
}

async function makePlan(code: string, charge: object): Promise<void> {
  const terms = {
    name: code,
    code,
    interval: "monthly",
    amount_cents: 1,
    amount_currency: "EUR",
    pay_in_advance: true,
  };
  const minimum_commitment = { amount_cents: 1 };
  const { status } = await call("POST", "/plans", {
    plan: { ...terms, minimum_commitment, charges: [charge, charge] },
  });
  expect(status).toBe(200);
}

test("each change of the terms is a new version; no change, or only a change of taxes, is not", async () => {
  const charge = await makeCharge("edited");
  await makePlan("edited", charge);
  await call("POST", "/taxes", { tax: { name: "T", code: "vat", rate: "1" } });
  const [first] = await versionsOf("edited");
  const ids = first?.terms.charges.map(({ id }) => id) ?? [];
  expect(ids).toHaveLength(2);
  for (const nothing of [{}, { name: "edited" }, { amount_cents: 1.0, tax_codes: ["vat"] }, { charges: null }])
    expect((await change("edited", nothing)).status).toBe(200);
  expect(await versionsOf("edited")).toEqual([first]);

  expect((await change("edited", { name: "" })).status).toBe(422);
  await change("edited", { name: "Renamed" });
  await change("edited", { charges: [{ id: ids[1] }, charge] });
  await change("edited", { minimum_commitment: {} });
  const versions = await versionsOf("edited");
  expect(versions.map(({ version, terms }) => [version, terms.name])).toEqual([
    [1, "edited"],
    [2, "Renamed"],
    [3, "Renamed"],
    [4, "Renamed"],
  ]);
  expect(versions[0]).toEqual(first);
  expect(versions.map(({ terms }) => terms.charges.length)).toEqual([2, 2, 2, 2]);
  expect(versions[2]?.terms.charges[0]).toEqual(first?.terms.charges[1]);
  expect(JSON.stringify(versions)).not.toContain("tax_codes");
  expect(await liveRows("edited")).toEqual({ charges: 2, filters: 4, commitments: 0 });
});

test("removing a metric or its values creates a version of each plan that uses it", async () => {
  const charge = await makeCharge("calls");
  await makePlan("followed", charge);
  // Its last bills may not exist yet.
  await makePlan("deleted", charge);
  await call("DELETE", "/plans/deleted");
  const [first] = await versionsOf("followed");
  await call("PUT", "/billable_metrics/calls", { billable_metric: { name: "Requests" } });
  const more = { filters: [{ key: "region", values: ["asia", "eu", "us"] }] };
  await call("PUT", "/billable_metrics/calls", { billable_metric: more });
  expect(await versionsOf("followed")).toEqual([first]);

  await call("PUT", "/billable_metrics/calls", { billable_metric: { filters: [{ key: "region", values: ["us"] }] } });
  const second = (await versionsOf("followed"))[1];
  expect(second?.terms.charges.map(({ filters }) => filters)).toEqual(
    first?.terms.charges.map(({ filters }) => [filters[1]]),
  );
  expect(await liveRows("followed")).toEqual({ charges: 2, filters: 2, commitments: 1 });

  await call("DELETE", "/billable_metrics/calls");
  const versions = await versionsOf("followed");
  expect(versions.map(({ terms }) => terms.charges.length)).toEqual([2, 2, 0]);
  expect(versions[0]).toEqual(first);
  expect(await liveRows("followed")).toEqual({ charges: 0, filters: 0, commitments: 1 });
  expect((await versionsOf("deleted")).map(({ terms }) => terms.charges.length)).toEqual([2, 2, 0]);
});

test("a tax that is deleted while a plan adds it to more charges is on none of them afterwards", async () => {
  await makePlan("taxed", await makeCharge("taxed"));
  const { body } = await call("GET", "/plans/taxed");
  for (let round = 0; round < 10; round++) {
    const tax_codes = [`going${round}`];
    await call("POST", "/taxes", { tax: { name: "T", code: tax_codes[0], rate: "1" } });
    await change("taxed", { tax_codes });
    const charges = body.plan.charges.map(({ svc_id: id }: { svc_id: string }) => ({ id, tax_codes }));
    await Promise.all([change("taxed", { charges }), call("DELETE", `/taxes/${tax_codes[0]}`)]);
  }
  const { rows } = await login.query(
    `select tax_id from (select tax_id from plan_taxes union all select tax_id from charge_taxes) as links
     join taxes on taxes.id = tax_id where taxes.deleted_at is not null`,
  );
  expect(rows).toEqual([]);
});

it.each([
  "update plan_versions set terms = '{}'",
  "update plan_versions set version = version + 100",
  "delete from plan_versions",
])("%s is refused for any role", async (statement) => {
  const never = /never changes: bills were made from it/;
  await expect(login.query(statement)).rejects.toThrow(never);
  const app = createPool({ url, role: "app", connectionsMax: 1, statementTimeoutMs: 5_000 });
  try {
    const client = await app.connect();
    await client.query("select set_config('app.organization_id', $1, false)", [organizations[0]?.id]);
    await expect(client.query(statement)).rejects.toThrow(never);
    client.release();
  } finally {
    await app.end();
  }
});

test("a plan cannot name a version that does not exist", async () => {
  await expect(login.query("update plans set version = version + 1")).rejects.toThrow(/plan_versions|foreign key/);
});
