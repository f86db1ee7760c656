/** What `search_term` finds: through the indexes of parts, and without them where a term is short or found too often. */
import { expect, test } from "vitest";
import { runOn } from "../../platform/postgres/temporary-database.ts";
import { type Answer, type Call, startTallystick } from "../../testing/start-tallystick.ts";

const { platform, call, organizations } = await startTallystick({ organizations: 2 });
const [, theirs = { id: "", key: "" }] = organizations;
const callOfTheirs: Call = (method, path, body) => call(method, path, body, { key: theirs.key });

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};

const NAMED = {
  external_id: "acct:Ωmega_7%",
  name: "Grünwald & Söhne",
  legal_name: "Grünwald Verwaltungs-GmbH \\ Co",
  email: "Billing+EU@gruenwald.example",
};

/** One record of each kind that has a customer, and the same in another organization. */
async function fill(by: Call) {
  const addOn = { name: "Setup", code: "setup", amount_cents: 500, amount_currency: "EUR" };
  await must(by("POST", "/add_ons", { add_on: addOn }));
  await must(by("POST", "/customers", { customer: NAMED }));
  await must(by("POST", "/customers", { customer: { external_id: "plain", name: "Plain" } }));
  const terms = { interval: "monthly", amount_cents: 1000, amount_currency: "EUR", pay_in_advance: false };
  await must(by("POST", "/plans", { plan: { name: "Plan", code: "plan", charges: [], ...terms } }));
  const subscription = { external_customer_id: "plain", plan_code: "plan", external_id: "sub_%42", name: "Wörk space" };
  await must(by("POST", "/subscriptions", { subscription }));
  const bill = async (external_customer_id: string) =>
    (await must(by("POST", "/invoices", { invoice: { external_customer_id, fees: [{ add_on_code: "setup" }] } })))
      .invoice;
  const [invoice, plain] = [await bill(NAMED.external_id), await bill("plain")];
  await must(by("PUT", `/invoices/${invoice.svc_id}`, { invoice: { payment_status: "succeeded" } }));
  const items = [{ fee_id: invoice.fees[0].svc_id, amount_cents: 500 }];
  const note = { invoice_id: invoice.svc_id, reason: "other", credit_amount_cents: 500, refund_amount_cents: 0, items };
  return { invoice, plain, note: (await must(by("POST", "/credit_notes", { credit_note: note }))).credit_note };
}

const ours = await fill(call);
const other = await fill(callOfTheirs);

const find = async (path: string, term: string, by: Call = call) => {
  const query = new URLSearchParams({ search_term: term });
  const body = await must(by("GET", `${path}?${query}`));
  const rows: { svc_id: string; external_id: string }[] = body[path.slice(1)];
  expect(body.meta.total_count, term).toBe(rows.length);
  return rows;
};
const idsOf = (rows: readonly { svc_id: string }[]) => rows.map(({ svc_id }) => svc_id);

/** Databases with the locale C know the cases of ASCII letters only. */
const inOtherCase = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => (/[a-z]/.test(letter) ? letter.toUpperCase() : letter.toLowerCase()));

/** Parts of every member, with and without a run of three letters, in other cases, with what `like` takes for wildcards. */
const PARTS = Object.values(NAMED).flatMap((text) => [
  ...[text, inOtherCase(text), text.slice(1, -1), text.slice(0, 2), text.slice(-2)],
  ...inOtherCase(text).split(/(?<=[\W_])/),
]);

test.each([...new Set(PARTS)])("%s finds a customer and its documents by every member", async (term) => {
  expect((await find("/customers", term)).map(({ external_id }) => external_id)).toContain(NAMED.external_id);
  expect(idsOf(await find("/invoices", term))).toContain(ours.invoice.svc_id);
  expect(idsOf(await find("/credit_notes", term))).toContain(ours.note.svc_id);
});

test("wildcards and backslashes count as themselves", async () => {
  for (const term of [
    "acct:_mega",
    "acct%",
    "%mega_7",
    "Gr_nwald",
    "ing+EU@%",
    "GmbH \\\\ Co",
    "mega\\_7",
    "%%%",
    "___",
  ])
    for (const path of ["/customers", "/invoices", "/credit_notes"]) expect(await find(path, term), term).toEqual([]);
  expect(await find("/customers", "mega_7%")).toHaveLength(1);
  expect(await find("/customers", "GmbH \\ Co")).toHaveLength(1);
  expect(await find("/subscriptions", "sub_%42")).toHaveLength(1);
  expect(await find("/subscriptions", "sub__42")).toEqual([]);
});

test("a subscription is found by its name and its external id, with long terms and short ones", async () => {
  for (const term of ["WORK", "rk space", "rk", "SUB_%", "b_%42", "42", "Wörk"])
    expect(await find("/subscriptions", term), term).toHaveLength(term === "WORK" ? 0 : 1);
});

test("an invoice and a credit note are found by parts of their numbers, and an invoice by its id", async () => {
  const { number, svc_id } = ours.plain;
  for (const term of [number, number.toLowerCase(), number.slice(2), svc_id, svc_id.toUpperCase()])
    expect(idsOf(await find("/invoices", term)), term).toEqual([svc_id]);
  for (const term of ["-0", "-", number.slice(0, 2)])
    expect(idsOf(await find("/invoices", term)), term).toEqual(
      expect.arrayContaining([ours.invoice.svc_id, ours.plain.svc_id]),
    );
  for (const term of [ours.note.number, ours.note.number.toLowerCase().slice(3), "CN"])
    expect(idsOf(await find("/credit_notes", term)), term).toEqual([ours.note.svc_id]);
});

test("documents of a deleted customer are found by its name", async () => {
  await must(call("POST", "/customers", { customer: { external_id: "leaving", name: "Leaving Ltd" } }));
  const bill = { external_customer_id: "leaving", fees: [{ add_on_code: "setup" }] };
  const { invoice } = await must(call("POST", "/invoices", { invoice: bill }));
  await must(call("DELETE", "/customers/leaving"));
  expect(await find("/customers", "leaving")).toEqual([]);
  expect(idsOf(await find("/invoices", "leaving"))).toEqual([invoice.svc_id]);
});

test("an organization finds only its own records, by what another one has too", async () => {
  for (const term of ["Grünwald", "gruenwald", "7%", ours.note.number.slice(-3)]) {
    const found = [...(await find("/invoices", term)), ...(await find("/credit_notes", term))];
    expect(idsOf(found)).not.toContain(other.invoice.svc_id);
    expect(idsOf(found)).not.toContain(other.note.svc_id);
    const foundThere = await find("/invoices", term, callOfTheirs);
    expect(idsOf(foundThere)).not.toContain(ours.invoice.svc_id);
  }
  expect(idsOf(await find("/invoices", "gruenwald", callOfTheirs))).toEqual([other.invoice.svc_id]);
  expect(await find("/invoices", other.invoice.svc_id)).toEqual([]);
  expect(await find("/invoices", other.invoice.number)).toEqual([]);
});

test("a term that more records have than are looked up finds all of them", async () => {
  const MANY = 20_001;
  await runOn(
    platform.config.DATABASE_URL,
    `insert into customers (organization_id, id, external_id, sequential_id, slug, name, created_at, updated_at)
     select $1, gen_random_uuid(), 'crowd ' || n, 1000 + n, 'C-' || n, 'Crowded', now(), now() from generate_series(1, $2::integer) as n`,
    [theirs.id, MANY],
  );
  const query = "search_term=CROWD&per_page=2";
  const { customers, meta } = await must(callOfTheirs("GET", `/customers?${query}`));
  expect([customers.length, meta.total_count]).toEqual([2, MANY]);
  const bill = { external_customer_id: "crowd 5", fees: [{ add_on_code: "setup" }] };
  const { invoice } = await must(callOfTheirs("POST", "/invoices", { invoice: bill }));
  expect(idsOf((await must(callOfTheirs("GET", `/invoices?${query}`))).invoices)).toEqual([invoice.svc_id]);
  const summary = (await must(callOfTheirs("GET", "/invoices/summary?search_term=CROWD"))).invoice_summary;
  expect(summary.all.count).toBe(1);
});
