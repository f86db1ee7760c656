/** While a test clock advances, every route that writes for one of its customers refuses. */
import { expect, it, test } from "vitest";
import { inOrganization } from "../../../platform/postgres/database.ts";
import { listApiRoutes } from "../../../testing/list-routes.ts";
import { SAMPLES, toPath } from "../../../testing/sample-requests.ts";
import { type Call, startTallystick } from "../../../testing/start-tallystick.ts";
import { startAdvance } from "./advance-test-clock.ts";

const { app, call, deliver, platform, organizations } = await startTallystick({ organizations: 1 });
const organizationId = organizations[0]?.id ?? "";

/** Writes that change no customer, or only the catalog. What follows from a catalog change waits until the clock is ready. */
const OF_NO_CUSTOMER = new Set([
  "PUT /organizations",
  ...["taxes", "billable_metrics", "plans", "add_ons", "coupons"].flatMap((name) => [
    `POST /${name}`,
    `PUT /${name}/:code`,
    `DELETE /${name}/:code`,
  ]),
  "POST /webhook_endpoints",
  "PUT /webhook_endpoints/:svc_id",
  "POST /webhook_endpoints/:svc_id/rotate_secret",
  "DELETE /webhook_endpoints/:svc_id",
  ...["identity_providers", "invitations", "members"].flatMap((name) => [
    `POST /${name}`,
    `PUT /${name}/:svc_id`,
    `DELETE /${name}/:svc_id`,
  ]),
  ...["POST /roles", "PUT /roles/:code", "DELETE /roles/:code", "PUT /sign_in_rules"],
  ...["POST /api_keys", "POST /api_keys/:key_id/rotate", "DELETE /api_keys/:key_id"],
  // Test clocks ignore the pause.
  ...["POST /billing_run/pause", "POST /billing_run/resume"],
  // A job does the work, and waits for its clock.
  ...["POST /sample_data", "DELETE /sample_data"],
  "POST /webhooks/:svc_id/retry",
  "POST /webhooks/replay",
  "POST /test_clocks",
  // This route stops the advance itself.
  "POST /test_clocks/:svc_id/cancel",
  // Events are accepted at any time; the clock supplies their time.
  "POST /events",
  "POST /events/batch",
]);
/** Computed answers, and documents of what exists already. */
const READS = new Set([
  "POST /events/estimate_fees",
  "POST /invoices/preview",
  "POST /credit_notes/estimate",
  "POST /invoices/:svc_id/retry",
  "POST /invoices/:svc_id/download",
  "POST /invoices/:svc_id/download_pdf",
  "POST /credit_notes/:svc_id/download",
  "POST /invoices/:svc_id/resend_email",
  "POST /credit_notes/:svc_id/resend_email",
]);

const writes = listApiRoutes(app)
  .map(({ method, path }) => ({ name: `${method} ${path}`, method, path }))
  .filter(({ method, name }) => method !== "GET" && !OF_NO_CUSTOMER.has(name) && !READS.has(name));

test("some routes write for a customer", () => {
  expect(writes.map(({ name }) => name)).toContain("DELETE /fees/:svc_id");
  expect(writes.length).toBeGreaterThan(20);
});

/** Puts every customer that a sample creates on one test clock; `clocks` are the clocks that exist then. */
function onTestClock(mark: string): { clocks: Set<string>; callOnClock: Call } {
  const clocks = new Set<string>();
  const makeClock = async () => {
    const { body } = await call("POST", "/test_clocks", { test_clock: { name: mark, now: "2026-01-31T00:00:00Z" } });
    clocks.add(body.test_clock.svc_id);
  };
  const callOnClock: Call = async (method, path, body, options) => {
    const isCustomer = method === "POST" && path === "/customers";
    if (isCustomer || (method === "POST" && path === "/subscriptions")) {
      if (clocks.size === 0) await makeClock();
      const [test_clock_id] = clocks;
      const customer = isCustomer ? (body as { customer: object }).customer : { external_id: `customer ${mark}` };
      const made = await call(method, "/customers", { customer: { test_clock_id, ...customer } }, options);
      if (isCustomer) return made;
    }
    const answer = await call(method, path, body, options);
    if (method === "POST" && path === "/test_clocks") clocks.add(answer.body.test_clock.svc_id);
    return answer;
  };
  return { clocks, callOnClock };
}

it.each(writes.map((route, index) => [route.name, { ...route, mark: `advancing ${index}` }] as const))(
  "%s answers 405 test_clock_advancing",
  async (name, { method, path, mark }) => {
    const sample = SAMPLES[name];
    const { clocks, callOnClock } = onTestClock(mark);
    const named = (await sample?.given?.(callOnClock, mark, deliver)) ?? {};
    if (clocks.size === 0) await callOnClock("POST", "/customers", { customer: { external_id: `customer ${mark}` } });
    for (const id of clocks)
      await inOrganization(platform.db, organizationId, (tx) => {
        const [to, now] = [Temporal.Instant.from("2026-06-01T00:00:00Z"), platform.clock.now()];
        return startAdvance(tx, organizationId, { id, to, now });
      });
    const { body } = await call(method as "PUT", toPath(path, named), sample?.body?.(mark, named));
    expect(body).toMatchObject({ status: 405, error: "Method Not Allowed", code: "test_clock_advancing" });
  },
);
