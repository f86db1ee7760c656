import { describe, expect, test } from "vitest";
import { startTallystick } from "../testing/start-tallystick.ts";

const { call } = await startTallystick();

const must = async (answer: ReturnType<typeof call>) => {
  const found = await answer;
  expect(found.status, found.text).toBe(200);
  return found;
};
const inForce = (etag: unknown) => ({ headers: { "if-match": String(etag) } });

const { billable_metric } = (
  await must(
    call("POST", "/billable_metrics", {
      billable_metric: { name: "Calls", code: "calls", aggregation_type: "count_agg" },
    }),
  )
).body;
await must(
  call("POST", "/plans", {
    plan: {
      name: "Pro",
      code: "pro",
      interval: "monthly",
      amount_cents: 1000,
      amount_currency: "EUR",
      pay_in_advance: false,
      charges: [
        { billable_metric_id: billable_metric.svc_id, charge_model: "standard", properties: { amount: "0.5" } },
      ],
    },
  }),
);
await must(
  call("POST", "/coupons", {
    coupon: {
      name: "Off",
      code: "off",
      coupon_type: "fixed_amount",
      amount_cents: 100,
      amount_currency: "EUR",
      frequency: "once",
      expiration: "no_expiration",
    },
  }),
);
await must(
  call("POST", "/add_ons", { add_on: { name: "Setup", code: "setup", amount_cents: 1, amount_currency: "EUR" } }),
);
await must(call("POST", "/taxes", { tax: { name: "VAT", code: "vat", rate: "20" } }));
await must(call("POST", "/customers", { customer: { external_id: "acme", name: "Acme" } }));

/** The path of a record, and a request that changes its name. */
const RECORDS: [string, string, (name: string) => Parameters<typeof call>][] = [
  ["plan", "/plans/pro", (name) => ["PUT", "/plans/pro", { plan: { name } }]],
  [
    "billable_metric",
    "/billable_metrics/calls",
    (name) => ["PUT", "/billable_metrics/calls", { billable_metric: { name } }],
  ],
  ["coupon", "/coupons/off", (name) => ["PUT", "/coupons/off", { coupon: { name } }]],
  ["add_on", "/add_ons/setup", (name) => ["PUT", "/add_ons/setup", { add_on: { name } }]],
  ["tax", "/taxes/vat", (name) => ["PUT", "/taxes/vat", { tax: { name } }]],
  ["organization", "/organizations", (name) => ["PUT", "/organizations", { organization: { name } }]],
  ["customer", "/customers/acme", (name) => ["POST", "/customers", { customer: { external_id: "acme", name } }]],
];

describe.each(RECORDS)("%s", (envelope, path, toChange) => {
  const read = async () => (await must(call("GET", path))).headers.etag;
  const change = (name: string, etag: unknown) => {
    const [method, at, body] = toChange(name);
    return call(method, at, body, inForce(etag));
  };

  test("a change with the ETag that was read is done, and its answer has the next ETag", async () => {
    const first = await read();
    expect(first).toMatch(/^"[\w-]{27}"$/);
    const changed = await must(change("Second", first));
    expect(changed.headers.etag).not.toBe(first);
    expect(await read()).toBe(changed.headers.etag);
  });

  test("a change with an ETag that is not in force any more changes nothing", async () => {
    const stale = await read();
    await must(change("Third", stale));
    const refused = await change("Fourth", stale);
    expect([refused.status, refused.body]).toMatchObject([412, { code: "changed_meanwhile" }]);
    expect((await call("GET", path)).body[envelope].name).toBe("Third");
  });

  test("of eight changes at once with the same ETag, one is done", async () => {
    const etag = await read();
    const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => change(`Racer ${at}`, etag)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(412)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await call("GET", path)).body[envelope].name).toBe(`Racer ${winner}`);
  });

  test("any of several ETags, a weak one of a proxy, and * are accepted", async () => {
    await must(change("Fifth", `"another", ${await read()}`));
    await must(change("Sixth", `W/${await read()}`));
    await must(change("Seventh", "*"));
  });
});

test("a new subscriber of a plan does not change its ETag, because no change of the plan could overwrite that", async () => {
  const { etag } = (await must(call("GET", "/plans/pro"))).headers;
  await must(
    call("POST", "/subscriptions", {
      subscription: { external_customer_id: "acme", plan_code: "pro", external_id: "sub" },
    }),
  );
  const after = await must(call("GET", "/plans/pro"));
  expect(after.body.plan.active_subscriptions_count).toBe(1);
  expect(after.headers.etag).toBe(etag);
});

test("a customer who does not exist matches no ETag and is not created", async () => {
  for (const etag of ["*", '"any"']) {
    const refused = await call("POST", "/customers", { customer: { external_id: "nobody" } }, inForce(etag));
    expect([refused.status, refused.body.code]).toEqual([412, "changed_meanwhile"]);
  }
  expect((await call("GET", "/customers/nobody")).status).toBe(404);
});

test("a repeated answer has the ETag of the first", async () => {
  const create = () =>
    call(
      "POST",
      "/add_ons",
      { add_on: { name: "Once", code: "once", amount_cents: 7, amount_currency: "EUR" } },
      { headers: { "idempotency-key": "once" } },
    );
  const { etag } = (await must(create())).headers;
  expect((await must(create())).headers.etag).toBe(etag);
  expect((await must(call("GET", "/add_ons/once"))).headers.etag).toBe(etag);
});

test("lists, deletions and refusals have no ETag", async () => {
  const answers = [
    await must(call("GET", "/plans")),
    await must(call("DELETE", "/add_ons/once")),
    await call("GET", "/plans/none"),
  ];
  for (const { headers } of answers) expect(headers).not.toHaveProperty("etag");
});
