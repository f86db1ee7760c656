/** Every route of the API against the trail: what changes something leaves one activity, and no secret of any answer is in it. */
import { describe, expect, it, test } from "vitest";
import { newId } from "../../../platform/new-id.ts";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { listApiRoutes, type Route } from "../../../testing/list-routes.ts";
import { SAMPLES, type Sample, toPath } from "../../../testing/sample-requests.ts";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";

const { platform, app, call, deliver, organizations } = await startTallystick({ requestsLogin: true });
const [{ id: organizationId, key } = { id: "", key: "" }] = organizations;
const url = platform.config.DATABASE_URL;

const routes = listApiRoutes(app).filter(({ method }) => method !== "GET");
const named = routes.map((route) => [`${route.method} ${route.path}`, route] as const);

/** They change nothing that anyone could look for later, or receive events. */
const LEAVE_NONE = [
  "POST /events",
  "POST /events/batch",
  "POST /events/estimate_fees",
  "POST /invoices/preview",
  "POST /subscriptions/preview",
];

/** Their refusal "try again soon" comes after the commit that orders the document. */
const ORDERS_DOCUMENT = /\/(download|download_\w+)$/;

type Kept = {
  actor_kind: string;
  actor_id: string;
  address: string;
  operation: string;
  object_type: string;
  object_id: string | null;
  difference: string | null;
};
const keptOf = (requestId: string) =>
  runOn<Kept>(url, "select * from activities where organization_id = $1 and request_id = $2", [
    organizationId,
    requestId,
  ]);

/** The operation ids of the description. */
const { body } = await app.inject("/openapi.json");
const paths: Record<string, Record<string, { operationId: string }>> = JSON.parse(body).paths;
const operationOf = ({ method, path }: Route): string | undefined =>
  paths[`/api/v1${path}`.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()]?.operationId;

const answers: Answer[] = [];
async function send(route: Route): Promise<{ requestId: string; answer: Answer }> {
  const sample: Sample = SAMPLES[`${route.method} ${route.path}`] ?? { permission: "none" };
  const requestId = newId();
  const parameters = (await sample.given?.(call, `trail ${requestId}`, deliver)) ?? {};
  const requested = sample.body?.(`trail ${requestId}`, parameters);
  const headers = { "x-request-id": requestId };
  const answer = await call(route.method as "POST", toPath(route.path, parameters), requested, { headers });
  answers.push(answer);
  return { requestId, answer };
}

describe("every route that is no GET", () => {
  it.each(named)("%s leaves one activity if it changes something, and none if it is refused", async (name, route) => {
    const { requestId, answer } = await send(route);
    const kept = await keptOf(requestId);
    const isRefused = answer.status !== 200 && !ORDERS_DOCUMENT.test(route.path);
    if (isRefused || LEAVE_NONE.includes(name)) return expect(kept).toEqual([]);
    expect(kept).toHaveLength(1);
    expect(kept[0]).toMatchObject({
      actor_kind: "key",
      actor_id: key.slice(4, 12),
      address: "127.0.0.1",
      operation: operationOf(route),
    });
    expect(operationOf(route), "is described").toBeDefined();
    const [[type, record] = ["", {}]] = Object.entries<{ svc_id?: string }>(answer.body);
    if (record?.svc_id !== undefined) expect([kept[0]?.object_type, kept[0]?.object_id]).toEqual([type, record.svc_id]);
  });
});

test("no secret that an answer showed, and no key, is in the trail or in a history", async () => {
  const secrets = [...organizations.map((organization) => organization.key.slice(13)), ...answers.flatMap(secretsIn)];
  expect(secrets.length).toBeGreaterThan(organizations.length + 1);
  // A caller can also put them where they do not belong.
  for (const secret of [...organizations.map((organization) => organization.key), ...answers.flatMap(secretsIn)])
    await call("POST", "/taxes", { tax: { name: secret, code: newId(), rate: "1", description: `x ${secret}` } });
  const kept = await runOn<{ text: string }>(url, "select activities::text as text from activities", []);
  expect(kept.length).toBeGreaterThan(routes.length);
  const text = kept.map((row) => row.text).join("\n");
  for (const secret of secrets) expect(text).not.toContain(secret);
});

/** The members of an answer that are secret by their name. */
function secretsIn({ body: shown }: Answer): string[] {
  const found: string[] = [];
  JSON.stringify(shown, (name, value) => {
    if (/secret$|token$|password|private/.test(name) && typeof value === "string") found.push(value);
    return value;
  });
  return found;
}
