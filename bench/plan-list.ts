/** Time of the first and last page of a long list of plans, against one bare statement for the same page. */
import type { InjectOptions } from "fastify";
import pg from "pg";
import { composePlatform } from "../packages/server/src/main/compose.ts";
import { readConfig } from "../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../packages/server/src/main/limit-settings.ts";
import { makeOrganization } from "../packages/server/src/main/make-organization.ts";
import { startEmbeddedPostgres } from "../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../packages/server/src/platform/postgres/migrate.ts";
import { type CountedApi, composeCountedApi } from "../packages/server/src/testing/count-queries.ts";

const PLANS = 10_000;
const CHARGES = 10;
const PAGE_SIZE = 100;
const ROUNDS = 45;
const WARM_UP_ROUNDS = 5;
/** How much longer the last page may take than the first. */
const RATIO_MAX = 1.5;

type Members = Record<string, unknown>;
type Api = { get: (path: string) => Promise<Members>; post: (path: string, body: Members) => Promise<Members> };

export async function measurePlanList() {
  const cluster = await startEmbeddedPostgres({});
  try {
    await migrate(cluster.url);
    const platform = composePlatform(readConfig({ DATABASE_URL: cluster.url, LOG_LEVEL: "silent", ...NO_RATE_LIMITS }));
    const { app, takeCount } = await composeCountedApi(platform);
    const bare = new pg.Client({ connectionString: cluster.url });
    try {
      await bare.connect();
      const { id, key } = await makeOrganization(platform, { name: "Bench", isSandbox: true, keyName: "bench" });
      const api = apiOf(app, key);
      await makeTemplate(api);
      await copyTemplate(bare, id);
      const measure = () => measurePages(api, takeCount, (page) => readBare(bare, id, page));
      const withoutTaxes = await measure();
      await taxEverything(bare, id);
      // Each page shows the tax with its counts of plans and charges.
      const withTaxes = await measure();
      const size = { plans: PLANS, chargesPerPlan: CHARGES, pageSize: PAGE_SIZE, rounds: ROUNDS };
      return { ...size, lastToFirstMax: RATIO_MAX, withoutTaxes, withTaxes };
    } finally {
      await app.close();
      await bare.end();
      await platform.close();
    }
  } finally {
    await cluster.stop();
  }
}

function apiOf(app: CountedApi["app"], key: string): Api {
  const call = async (path: string, request: InjectOptions): Promise<Members> => {
    const headers = { authorization: `Bearer ${key}`, ...request.headers };
    const answer = await app.inject({ ...request, url: `/api/v1${path}`, headers });
    if (answer.statusCode !== 200) throw new Error(`${path} answers ${answer.body}`);
    return answer.json();
  };
  return {
    get: (path) => call(path, { method: "GET" }),
    post: (path, body) =>
      call(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        payload: JSON.stringify(body),
      }),
  };
}

/** First and last page in turns, so that other load on the machine slows both. */
async function measurePages(api: Api, takeCount: () => number, readBarePage: (page: number) => Promise<void>) {
  const last = PLANS / PAGE_SIZE;
  const times: Record<string, number[]> = { first: [], last: [], bareFirst: [], bareLast: [] };
  const queries: Record<string, number> = {};
  const measure = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const begun = performance.now();
    await work();
    times[name]?.push(performance.now() - begun);
  };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, page] of [
      ["first", 1],
      ["last", last],
    ] as const) {
      takeCount();
      await measure(name, () => api.get(`/plans?per_page=${PAGE_SIZE}&page=${page}`));
      queries[name] = takeCount();
      await measure(name === "first" ? "bareFirst" : "bareLast", () => readBarePage(page));
    }
  }
  const { meta } = await api.get(`/plans?per_page=${PAGE_SIZE}&page=${last}`);
  if ((meta as Members).total_count !== PLANS) throw new Error("the list is not as long as it should be");
  const ms = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
  const ratio = (ms.last ?? 0) / (ms.first ?? 1);
  return {
    pageMs: { first: rounded(ms.first), last: rounded(ms.last) },
    bareMs: { first: rounded(ms.bareFirst), last: rounded(ms.bareLast) },
    lastToFirst: rounded(ratio),
    isWithinMax: ratio <= RATIO_MAX,
    queries,
  };
}

const median = (list: readonly number[]): number =>
  list.slice(WARM_UP_ROUNDS).toSorted((a, b) => a - b)[Math.floor((list.length - WARM_UP_ROUNDS) / 2)] ?? 0;
const rounded = (value: number | undefined): number => Number((value ?? 0).toFixed(2));

/** The terms of a page in one statement, as the driver reads them. */
async function readBare(client: pg.Client, organizationId: string, page: number): Promise<void> {
  await client.query(
    `select plans.id, terms from plans join plan_versions on plan_versions.organization_id = plans.organization_id
       and plan_id = plans.id and plan_versions.version = plans.version
     where plans.organization_id = $1 and deleted_at is null and parent_id is null
     order by plans.created_at desc, plans.id desc limit $2 offset $3`,
    [organizationId, PAGE_SIZE, (page - 1) * PAGE_SIZE],
  );
}

/** One plan through the API with everything a plan can have except taxes, and a tax. */
async function makeTemplate({ post }: Api): Promise<void> {
  const filters = [{ key: "region", values: ["eu", "us"] }];
  const metric = { name: "Calls", code: "calls", aggregation_type: "count_agg", filters };
  const { billable_metric } = await post("/billable_metrics", { billable_metric: metric });
  const { svc_id: billable_metric_id } = billable_metric as { svc_id: string };
  await post("/taxes", { tax: { name: "VAT", code: "vat", rate: "20" } });
  const price = [
    { from_value: 0, to_value: 100, per_unit_amount: "0.10", flat_amount: "0" },
    { from_value: 101, to_value: null, per_unit_amount: "0.05", flat_amount: "0" },
  ];
  const charge = {
    billable_metric_id,
    charge_model: "graduated",
    properties: { graduated_ranges: price },
    filters: [{ values: { region: ["eu"] }, properties: { graduated_ranges: price } }],
  };
  const charges = Array.from({ length: CHARGES }, () => charge);
  const minimum_commitment = { amount_cents: 100 };
  const terms = { interval: "monthly", amount_cents: 4900, amount_currency: "EUR", pay_in_advance: true };
  await post("/plans", {
    plan: { ...terms, name: "Template", code: "template", minimum_commitment, charges },
  });
}

/** Copies of the plan, each older than the last, with their own charges and commitment. */
async function copyTemplate(client: pg.Client, organizationId: string): Promise<void> {
  const id = `'${organizationId}'::uuid`;
  await client.query(`
    begin;
    create temporary table template as
      select terms from plan_versions where organization_id = ${id};
    create temporary table copies as
      select gen_random_uuid() as id, 'plan ' || n as code, now() - n * interval '1 minute' as created_at
      from generate_series(1, ${PLANS - 1}) as n;
    create temporary table copied_charges as
      select gen_random_uuid() as id, copies.id as plan_id, copies.created_at, c.terms, position
      from copies, template, jsonb_array_elements(template.terms -> 'charges') with ordinality as c (terms, position);
    insert into plans (organization_id, id, code, version, created_at, updated_at)
      select ${id}, id, code, 1, created_at, created_at from copies;
    insert into charges (organization_id, id, plan_id, billable_metric_id, created_at)
      select ${id}, id, plan_id, (terms ->> 'billable_metric_id')::uuid, created_at from copied_charges;
    insert into plan_versions (organization_id, plan_id, version, terms, created_at)
      select ${id}, copies.id, 1, template.terms || jsonb_build_object('code', copies.code, 'charges', own.charges),
        copies.created_at
      from template, copies join (
        select plan_id, jsonb_agg(terms || jsonb_build_object('id', id) order by position) as charges
        from copied_charges group by plan_id
      ) as own on own.plan_id = copies.id;
    insert into minimum_commitments (organization_id, id, plan_id, created_at, updated_at)
      select ${id}, gen_random_uuid(), id, created_at, created_at from copies;
    commit`);
  await client.query("vacuum analyze");
}

/** Puts the tax on every plan, charge and commitment. */
async function taxEverything(client: pg.Client, organizationId: string): Promise<void> {
  const id = `'${organizationId}'::uuid`;
  await client.query(`
    insert into plan_taxes select ${id}, plans.id, taxes.id from plans, taxes;
    insert into charge_taxes select ${id}, charges.id, taxes.id from charges, taxes;
    insert into commitment_taxes select ${id}, minimum_commitments.id, taxes.id from minimum_commitments, taxes`);
  await client.query("vacuum analyze");
}
