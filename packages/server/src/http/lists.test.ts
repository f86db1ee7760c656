import { beforeAll, describe, expect, it, test } from "vitest";
import { systemClock } from "../platform/clock.ts";
import { OPERATOR_SAMPLES } from "../testing/operator-samples.ts";
import {
  aCoupon,
  aCustomer,
  aMetric,
  anAddOn,
  aPlan,
  aTax,
  givenAppliedCoupon,
  givenCreditNote,
  givenCustomer,
  givenInvoice,
  givenMailableInvoice,
  givenMetricToCharge,
  givenSubscription,
  givenTestClock,
  givenWallet,
  givenWebhook,
  oneEvent,
} from "../testing/sample-records.ts";
import { type Call, makeTestOrganization, startTallystick } from "../testing/start-tallystick.ts";

let now = systemClock.now().subtract({ hours: 24 * 300 });
const { platform, call: anyCall, deliver } = await startTallystick({ clock: { now: () => now } });

// biome-ignore lint/suspicious/noExplicitAny: the rows of any list
type Row = Record<string, any>;
type List = {
  path: string;
  /** The path, where it names a record. */
  open?: (call: Call) => Promise<string>;
  make: (call: Call, mark: string, path: string) => Promise<unknown>;
  /** Changes the state of a record. */
  change?: (call: Call, row: Row) => Promise<unknown>;
  /** Lists records of every state, where the default leaves some out. */
  every?: string;
  choices?: Readonly<Record<string, readonly string[]>>;
  texts?: Readonly<Record<string, (row: Row) => string>>;
  search?: (row: Row) => string;
  sorts: readonly string[];
  isUndated?: true;
};

const coded = (path: string, name: string, make: (mark: string, call: Call) => Promise<Row> | Row): List => ({
  path,
  make: async (call, mark) => {
    const [[key = "", record] = []] = Object.entries<Row>(await make(mark, call));
    return call("POST", path, { [key]: { ...record, name: `${name} ${mark}` } });
  },
  texts: { code: ({ code }) => code },
  search: ({ code }) => code,
  sorts: ["created_at", "name", "code"],
});
const customerOf = ({ external_customer_id }: Row): string => external_customer_id;
const STATES = { active: ["active", "terminated"], paid: ["pending", "succeeded", "failed"] };

const LISTS: readonly List[] = [
  coded("/taxes", "Tax", aTax),
  coded("/billable_metrics", "Metric", aMetric),
  coded("/add_ons", "Add-on", anAddOn),
  coded("/coupons", "Coupon", aCoupon),
  coded("/plans", "Plan", async (mark, call) => aPlan(mark, await givenMetricToCharge(call, mark))),
  {
    path: "/customers",
    make: (call, mark) => {
      const { customer } = aCustomer(mark);
      const name = mark.startsWith("d") ? null : `Name ${mark}`;
      const currency = mark.startsWith("a") ? "EUR" : "USD";
      return call("POST", "/customers", { customer: { ...customer, name, currency } });
    },
    texts: { external_id: ({ external_id }) => external_id, currency: ({ currency }) => currency },
    search: ({ external_id }) => external_id,
    sorts: ["created_at", "name", "external_id"],
  },
  {
    path: "/subscriptions",
    make: givenSubscription,
    change: (call, { external_id }) => call("DELETE", `/subscriptions/${encodeURIComponent(external_id)}`),
    every: "status=active&status=terminated&status[]=pending&status[]=canceled",
    choices: { status: ["pending", "active", "terminated", "canceled"] },
    texts: {
      external_customer_id: customerOf,
      plan_code: ({ plan_code }) => plan_code,
      external_id: ({ external_id }) => external_id,
    },
    search: ({ external_id }) => external_id,
    sorts: ["started_at", "created_at"],
  },
  {
    path: "/invoices",
    make: givenInvoice,
    change: (call, { svc_id }) => call("PUT", `/invoices/${svc_id}`, { invoice: { payment_status: "succeeded" } }),
    choices: {
      status: ["draft", "finalized", "voided"],
      payment_status: STATES.paid,
      invoice_type: ["subscription", "one_off", "credit", "advance_charges"],
    },
    texts: { external_customer_id: ({ customer }) => customer.external_id },
    search: ({ number }) => number,
    sorts: ["issuing_date", "created_at"],
  },
  {
    path: "/fees",
    make: givenInvoice,
    change: (call, { svc_invoice_id: id }) => call("PUT", `/invoices/${id}`, { invoice: { payment_status: "failed" } }),
    choices: { payment_status: [...STATES.paid, "refunded"] },
    texts: { invoice_id: ({ svc_invoice_id }) => svc_invoice_id, external_customer_id: customerOf },
    sorts: ["created_at"],
  },
  {
    path: "/credit_notes",
    make: givenCreditNote,
    change: (call, { svc_id }) => call("PUT", `/credit_notes/${svc_id}/void`),
    choices: {
      credit_status: ["available", "consumed", "voided"],
      refund_status: STATES.paid,
      reason: ["duplicated_charge", "other"],
    },
    texts: { invoice_id: ({ svc_invoice_id }) => svc_invoice_id },
    search: ({ number }) => number,
    sorts: ["created_at", "issuing_date"],
  },
  {
    path: "/applied_coupons",
    make: givenAppliedCoupon,
    change: (call, row) =>
      call("DELETE", `/customers/${encodeURIComponent(customerOf(row))}/applied_coupons/${row.svc_id}`),
    choices: { status: STATES.active },
    texts: { external_customer_id: customerOf, coupon_code: ({ coupon_code }) => coupon_code },
    sorts: ["created_at"],
  },
  {
    path: "/wallets",
    make: async (call, mark) => {
      const { svc_id } = await givenWallet(call, mark);
      await call("PUT", `/wallets/${svc_id}`, { wallet: { name: `Wallet ${mark}`, code: `code ${mark}` } });
    },
    change: (call, { svc_id }) => call("DELETE", `/wallets/${svc_id}`),
    choices: { status: STATES.active },
    texts: { external_customer_id: customerOf, code: ({ code }) => code },
    search: ({ name }) => name,
    sorts: ["created_at"],
  },
  {
    path: "/wallet_transactions",
    open: async (call) => `/wallets/${(await givenWallet(call, "opened")).svc_id}/wallet_transactions`,
    make: (call, mark, path) => {
      const credits = mark.startsWith("a") ? { voided_credits: "1" } : { granted_credits: "10" };
      return call("POST", "/wallet_transactions", {
        wallet_transaction: { wallet_id: path.split("/")[2], ...credits },
      });
    },
    choices: {
      status: ["pending", "settled", "failed"],
      transaction_status: ["purchased", "granted", "voided", "invoiced"],
      transaction_type: ["inbound", "outbound"],
    },
    sorts: ["created_at"],
  },
  {
    path: "/events",
    make: (call, mark) =>
      call("POST", "/events", { event: { ...oneEvent(mark), timestamp: now.epochMilliseconds / 1e3 } }),
    change: (call, { code }) =>
      call("POST", "/billable_metrics", { billable_metric: { name: "n", code, aggregation_type: "count_agg" } }),
    choices: { status: ["billed", "open", "not_billed"], reason: ["no_subscription", "unknown_code", "late"] },
    texts: { code: ({ code }) => code, external_subscription_id: (row) => row.external_subscription_id },
    sorts: ["timestamp"],
  },
  {
    path: "/webhook_endpoints",
    make: (call, mark) =>
      call("POST", "/webhook_endpoints", { webhook_endpoint: { webhook_url: `https://hooks.example/${mark}` } }),
    search: ({ webhook_url }) => webhook_url,
    sorts: ["created_at"],
  },
  {
    path: "/webhooks",
    make: (call, mark) => givenWebhook(call, mark, deliver),
    choices: {
      status: ["pending", "retrying", "succeeded", "failed"],
      webhook_type: ["customer.created", "invoice.created"],
    },
    texts: { object_id: ({ object_id }) => object_id },
    sorts: ["created_at"],
  },
  {
    path: "/mails",
    make: async (call, mark) => {
      const { svc_id } = await givenMailableInvoice(call, mark);
      return call("POST", `/invoices/${svc_id}/resend_email`);
    },
    choices: { status: ["queued", "sending", "sent", "failed", "unknown", "suppressed"] },
    sorts: ["created_at"],
  },
  {
    path: "/parked_items",
    make: OPERATOR_SAMPLES["GET /parked_items/:svc_id"].given,
    change: (call, { svc_id }) => call("POST", `/parked_items/${svc_id}/skip`, { reason: "no" }),
    every: "status[]=parked&status[]=retried&status[]=skipped",
    choices: { status: ["parked", "retried", "skipped"], kind: ["event", "invoice", "wallet", "fee_refund"] },
    sorts: ["parked_at"],
    isUndated: true,
  },
  {
    path: "/test_clocks",
    make: givenTestClock,
    choices: { status: ["ready", "advancing"] },
    search: ({ name }) => name,
    sorts: ["created_at"],
  },
];

/** Not in the order of creation. */
const MARKS = ["b-mark", "d-mark", "a-mark", "c-mark"];

describe.each(LISTS)("$path", { timeout: 120_000 }, (list) => {
  const { sorts, choices = {}, texts = {}, search, every } = list;
  const name = list.path.slice(1);
  let path = list.path;
  let call: Call = anyCall;
  let theirCall: Call = anyCall;
  let theirPath = path;
  let all: Row[] = [];
  let theirs: Row[] = [];

  const callOf = async (whose: string): Promise<Call> => {
    const { key } = await makeTestOrganization(platform, `${whose} ${name}`);
    return (method, where, body, options) => anyCall(method, where, body, { key, ...options });
  };
  /** Each record on a day of its own. */
  async function make(by: Call, mark: string, where: string): Promise<void> {
    now = now.add({ hours: 24 });
    await list.make(by, mark, where);
  }
  async function read(query: string, by = call, where = path) {
    const { status, body, text } = await by("GET", `${where}?${query}`);
    expect(status, `${query} ${text}`).toBe(200);
    return { rows: body[name] as Row[], meta: body.meta };
  }
  const idsOf = (rows: readonly Row[]): string[] => rows.map(({ svc_id }) => svc_id);
  async function expectRows(query: string, expected: readonly Row[]): Promise<void> {
    const { rows, meta } = await read(query);
    expect(idsOf(rows), query).toEqual(idsOf(expected));
    expect(meta.total_count, query).toBe(expected.length);
  }
  const withEvery = (query: string) => (every ? `${every}&${query}` : query);
  const readAll = async (by = call, where = path) => (await read(withEvery("per_page=1000"), by, where)).rows;

  beforeAll(async () => {
    call = await callOf("mine");
    theirCall = await callOf("their");
    path = (await list.open?.(call)) ?? path;
    theirPath = (await list.open?.(theirCall)) ?? theirPath;
    for (const mark of MARKS) await make(call, mark, path);
    for (const mark of MARKS) await make(theirCall, mark, theirPath);
    await list.change?.(call, (await readAll())[1] ?? {});
    all = await readAll();
    theirs = await readAll(theirCall, theirPath);
    expect(all.length).toBeGreaterThanOrEqual(MARKS.length);
    expect(theirs.length).toBeGreaterThanOrEqual(MARKS.length);
  }, 120_000);

  test("each text filter shows the records that have the value, and counts them", async () => {
    for (const [filter, read] of Object.entries(texts)) {
      const value = read(all[0] ?? {});
      const expected = all.filter((row) => read(row) === value);
      expect(expected.length, `${filter} tells records apart`).toBeLessThan(all.length);
      await expectRows(withEvery(`${filter}=${encodeURIComponent(value)}`), expected);
      await expectRows(withEvery(`${filter}=nobody`), []);
    }
  });

  test("each choice takes one value or several, with and without brackets", async () => {
    for (const [filter, values] of Object.entries(choices)) {
      const others = filter === "status" ? "" : (every ?? "");
      expect(
        all.some((row) => values.includes(row[filter])),
        filter,
      ).toBe(true);
      for (const requested of [...values.map((value) => [value]), values.slice(0, 2)]) {
        const expected = all.filter((row) => requested.includes(row[filter]));
        for (const parameter of [filter, `${filter}[]`])
          await expectRows(`${others}&${requested.map((value) => `${parameter}=${value}`).join("&")}`, expected);
      }
    }
  });

  test("an unknown value of a choice is refused", async () => {
    for (const parameter of Object.keys(choices).flatMap((filter) => [filter, `${filter}[]`]))
      for (const query of [`${parameter}=nonsense`, `${parameter}=nonsense&${parameter}=${choices.status?.[0]}`]) {
        const { status, body } = await call("GET", `${path}?${query}`);
        expect([status, body.error_details], query).toEqual([422, { [parameter]: ["value_is_invalid"] }]);
      }
  });

  test.runIf(!list.isUndated)(
    "created_from and created_to include what is shown with that instant or on that day",
    async () => {
      const [, { created_at: at = "" } = {}] = all.toSorted((one, other) =>
        one.created_at < other.created_at ? -1 : 1,
      );
      const day = at.slice(0, 10);
      const since = (row: Row, start: string) => row.created_at >= start;
      await expectRows(
        withEvery(`created_from=${at}`),
        all.filter((row) => since(row, at)),
      );
      await expectRows(
        withEvery(`created_from=${day}`),
        all.filter((row) => since(row, day)),
      );
      await expectRows(
        withEvery(`created_to=${at}`),
        all.filter((row) => row.created_at <= at),
      );
      await expectRows(
        withEvery(`created_to=${day}`),
        all.filter((row) => row.created_at.slice(0, 10) <= day),
      );
      await expectRows(
        withEvery(`created_from=${at}&created_to=${at}`),
        all.filter((row) => row.created_at === at),
      );
      await expectRows(withEvery("created_to=2001-01-01"), []);
      const { status, body } = await call("GET", `${path}?created_from=soon`);
      expect([status, body.error_details]).toEqual([422, { created_from: ["invalid_date"] }]);
    },
  );

  test.runIf(search)("search_term finds a part in any case, and takes wildcards literally", async () => {
    const term = search?.(all[0] ?? {}) ?? "";
    const part = encodeURIComponent(term.slice(1).toUpperCase());
    const expected = all.filter((row) => search?.(row).toUpperCase().includes(term.slice(1).toUpperCase()));
    expect(expected.length).toBeLessThan(all.length);
    await expectRows(withEvery(`search_term=${part}`), expected);
    for (const wildcard of ["%25%25", "__", "\\"]) await expectRows(withEvery(`search_term=${wildcard}`), []);
    await expectRows(withEvery("search_term="), all);
  });

  test("each sort orders the list, and a minus reverses it", async () => {
    for (const sort of sorts) {
      const { rows } = await read(withEvery(`sort=${sort}`));
      const valuesOf = (some: readonly Row[]) => some.map((row) => row[sort]);
      // A null is greater than every value.
      const rank = (value: string | null) => value ?? "\uffff";
      expect(valuesOf(rows)).toEqual(valuesOf(rows).toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1)));
      expect(new Set(idsOf(rows))).toEqual(new Set(idsOf(all)));
      expect(idsOf((await read(withEvery(`sort=-${sort}`))).rows)).toEqual(idsOf(rows).reverse());
    }
    const { status, body } = await call("GET", `${path}?sort=nonsense`);
    expect([status, body.error_details]).toEqual([422, { sort: ["value_is_invalid"] }]);
  });

  test("another organization's records are never shown, whatever is requested", async () => {
    const { meta } = await read(withEvery("limit=1"));
    const queries = [
      ...Object.entries(texts).map(([filter, read]) => `${filter}=${encodeURIComponent(read(all[0] ?? {}))}`),
      ...Object.entries(choices).flatMap(([filter, values]) => values.map((value) => `${filter}=${value}`)),
      ...sorts.map((sort) => `sort=${sort}`),
      ...(search ? [`search_term=${encodeURIComponent(search(all[0] ?? {}))}`] : []),
      `cursor=${meta.next_cursor}`,
    ];
    for (const query of queries) {
      const { rows } = await read(query, theirCall, theirPath);
      expect(idsOf(theirs), query).toEqual(expect.arrayContaining(idsOf(rows)));
    }
  });

  test("pages by cursor show every record once while others are added", async () => {
    for (const sort of sorts.flatMap((each) => [each, `-${each}`])) {
      const before = await readAll();
      const seen: Row[] = [];
      let cursor = "";
      do {
        const { rows, meta } = await read(withEvery(`sort=${sort}&limit=2${cursor}`));
        expect(rows.length).toBeLessThanOrEqual(2);
        if (seen.length === 0) await make(call, `${sort}-${before.length}`, path);
        seen.push(...rows);
        cursor = meta.next_cursor && `&cursor=${meta.next_cursor}`;
      } while (cursor);
      expect(new Set(idsOf(seen)).size, sort).toBe(seen.length);
      expect(idsOf(seen), sort).toEqual(expect.arrayContaining(idsOf(before)));
    }
  });
});

describe("a place in a list", () => {
  const list = (query: string) => anyCall("GET", `/customers?${query}`);
  const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const ID = "0199aaaa-0000-7000-8000-000000000001";
  const AT = "2026-01-31T00:00:00Z";

  beforeAll(async () => {
    for (const mark of ["one", "two", "three"]) await givenCustomer(anyCall, `placed ${mark}`);
  });

  it.each([
    "x",
    "",
    cursorOf(null),
    cursorOf({}),
    cursorOf([]),
    cursorOf(["-created_at"]),
    cursorOf(["-created_at", AT]),
    cursorOf(["-created_at", AT, "17"]),
    cursorOf(["-created_at", "yesterday", ID]),
    cursorOf(["-created_at", null, ID]),
    cursorOf(["-created_at", AT, AT, ID]),
    cursorOf(["-created_at", 17, ID]),
    cursorOf(["name", "\0", ID]),
    cursorOf(["password", "x", ID]),
  ])("the cursor %j is refused", async (cursor) => {
    const { status, body } = await list(`cursor=${cursor}`);
    expect([status, body.error_details]).toEqual([422, { cursor: ["value_is_invalid"] }]);
  });

  test("a cursor keeps its order, and is refused with another", async () => {
    const { next_cursor } = (await list("sort=external_id&limit=1")).body.meta;
    const { customers } = (await list(`cursor=${next_cursor}&limit=1`)).body;
    expect(customers[0].external_id).toBe("customer placed three");
    expect((await list(`cursor=${next_cursor}&sort=external_id`)).status).toBe(200);
    const { status, body } = await list(`cursor=${next_cursor}&sort=-external_id`);
    expect([status, body.error_details]).toEqual([422, { cursor: ["value_is_invalid"] }]);
  });

  it.each(["0", "-1", "1001", "x", "", "1.5", "99999"])("the limit %j is refused", async (limit) => {
    const { status, body } = await list(`limit=${limit}`);
    expect([status, body.error_details]).toEqual([422, { limit: ["value_is_invalid"] }]);
  });

  test("a first page is counted, a page by cursor is not", async () => {
    const first = (await list("limit=2")).body.meta;
    expect(first).toMatchObject({ current_page: 1, next_page: 2, total_pages: 2, total_count: 3 });
    expect((await list(`limit=2&cursor=${first.next_cursor}`)).body.meta).toEqual({
      current_page: null,
      next_page: null,
      prev_page: null,
      total_pages: null,
      total_count: null,
      next_cursor: null,
    });
  });
});
