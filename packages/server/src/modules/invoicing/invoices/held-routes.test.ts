import { expect, test } from "vitest";
import { CONTRADICTED_CENTS } from "../../../testing/contradicted-invoices.ts";
import { OPERATOR_SAMPLES } from "../../../testing/operator-samples.ts";
import { type Answer, type Call, startTallystick } from "../../../testing/start-tallystick.ts";
import { subscribeCustomer } from "../../../testing/subscribed-customer.ts";
import { verify } from "../../../verify/index.ts";

const { call, drain, organizations, platform } = await startTallystick();
const asTheirs: Call = (method, path, body, options) =>
  call(method, path, body, { key: organizations[1]?.key ?? "", ...options });

let marks = 0;
const hold = async (caller: Call = call) =>
  (await OPERATOR_SAMPLES["GET /held_invoices/:svc_id"].given(caller, `${++marks}`)).svc_id ?? "";
const release = (id: string, caller: Call = call, headers: Record<string, string> = {}) =>
  caller("POST", `/held_invoices/${id}/release`, { reason: "checked by hand" }, { headers });
const list = async (query = "", caller: Call = call): Promise<string[]> =>
  (await caller("GET", `/held_invoices${query}`)).body.held_invoices.map(
    (held: { svc_invoice_id: string }) => held.svc_invoice_id,
  );
const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};

test("a held invoice is listed and shown with both computations and their differences", async () => {
  const id = await hold();
  const { held_invoice } = await must(call("GET", `/held_invoices/${id}`));
  const { first, second, ...rest } = held_invoice;
  expect(rest).toMatchObject({
    svc_invoice_id: id,
    external_customer_id: `held ${marks}`,
    step: "issue",
    times: 1,
    status: "held",
    released_at: null,
    release_reason: null,
    differences: [{ figure: "total", first: String(CONTRADICTED_CENTS), second: String(CONTRADICTED_CENTS - 1) }],
  });
  expect(first.fees).toHaveLength(1);
  expect(second).toMatchObject({ total: String(CONTRADICTED_CENTS - 1) });
  expect((await must(call("GET", "/held_invoices?limit=1"))).held_invoices).toEqual([rest]);
  expect((await call("GET", `/invoices/${id}`)).status).toBe(404);
});

test("a release needs a reason, finalizes the invoice with the first computation, and stays on record", async () => {
  const id = await hold();
  expect((await call("POST", `/held_invoices/${id}/release`, {})).body.error_details).toEqual({
    reason: ["value_is_mandatory"],
  });
  const { held_invoice } = await must(release(id));
  expect(held_invoice).toMatchObject({ status: "released", release_reason: "checked by hand" });
  expect(held_invoice.released_at).not.toBeNull();
  const { invoice } = await must(call("GET", `/invoices/${id}`));
  expect(invoice).toMatchObject({ status: "finalized", total_amount_cents: CONTRADICTED_CENTS });
  expect(await list()).not.toContain(id);
  expect(await list("?status=released")).toContain(id);
  expect(await list("?status[]=released&status[]=held")).toContain(id);
  expect((await must(call("GET", `/held_invoices/${id}`))).held_invoice).toMatchObject(held_invoice);
});

test("of several releases at once one succeeds, and a repeated request gets the first answer", async () => {
  const id = await hold();
  const answers = await Promise.all([1, 2, 3].map(() => release(id)));
  expect(answers.map(({ body }) => body.code ?? "released").sort()).toEqual([
    ...["held_invoice_released", "held_invoice_released", "released"],
  ]);
  const other = await hold();
  const headers = { "idempotency-key": "release" };
  const first = await must(release(other, call, headers));
  expect(await must(release(other, call, headers))).toEqual(first);
  await drain();
  expect((await verify(platform.config.DATABASE_URL)).filter(({ broken }) => broken > 0)).toEqual([]);
});

test("an organization neither sees nor releases a held invoice of another", async () => {
  const id = await hold();
  const own = await hold(asTheirs);
  for (const answer of [await asTheirs("GET", `/held_invoices/${id}`), await release(id, asTheirs)])
    expect(answer.body).toMatchObject({ status: 404, code: "held_invoice_not_found" });
  expect(await list("", asTheirs)).toEqual([own]);
  expect(await list()).toContain(id);
});

test("unknown ids, and invoices that were never held, are not found", async () => {
  const { body } = await call("GET", "/invoices?per_page=1");
  for (const id of ["x", "01900000-0000-7000-8000-000000000000"])
    for (const answer of [await call("GET", `/held_invoices/${id}`), await release(id)])
      expect(answer.body.code, JSON.stringify(body.meta)).toBe("held_invoice_not_found");
});

test("an invoice that counts what an earlier held one bills is released after that one, and stays held before", async () => {
  const { customer, advanceTo } = await subscribeCustomer(call, {
    now: "2024-01-01T00:00:00Z",
    metrics: {},
    charges: [],
    plan: {
      amount_cents: CONTRADICTED_CENTS,
      pay_in_advance: true,
      minimum_commitment: { amount_cents: 2 * CONTRADICTED_CENTS },
    },
  });
  await advanceTo("2024-02-01T00:00:00Z");
  const { held_invoices } = await must(call("GET", "/held_invoices?sort=held_at"));
  const [first, second] = held_invoices
    .filter((held: { external_customer_id: string }) => held.external_customer_id === customer)
    .map((held: { svc_invoice_id: string }) => held.svc_invoice_id);
  expect((await release(second)).body).toMatchObject({ status: 405, code: "earlier_invoice_held" });
  expect(await list()).toContain(second);
  await must(release(first));
  await must(release(second));
});
