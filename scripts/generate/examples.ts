/** The examples of the API description: the sample request of each operation, and what a fresh service answers. */
import type { Examples } from "../../packages/server/src/http/openapi-examples.ts";
import type { Document } from "../../packages/server/src/http/openapi-names.ts";
import { composeApi, composePlatform } from "../../packages/server/src/main/compose.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../../packages/server/src/main/limit-settings.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { ALL_PERMISSIONS } from "../../packages/server/src/modules/accounts/index.ts";
import { callOf } from "../../packages/server/src/testing/call-api.ts";
import { contradict } from "../../packages/server/src/testing/contradicted-invoices.ts";
import { deliverOf } from "../../packages/server/src/testing/deliver.ts";
import { SAMPLES, toPath } from "../../packages/server/src/testing/sample-requests.ts";
import type { Call, Deliver } from "../../packages/server/src/testing/start-tallystick.ts";
import { namerOfIds, withoutSecrets } from "./steady-text.ts";

type Api = Awaited<ReturnType<typeof composeApi>>;

const START = "2026-02-12T10:30:00Z";
/** In place of the start that samples count back from today. */
const SUBSCRIBED = "2026-01-03T10:30:00Z";

export async function recordExamples(described: Api, databaseUrl: string): Promise<Examples> {
  const document = described.swagger() as unknown as Document;
  let now = Temporal.Instant.from(START);
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    PUBLIC_URL: "https://billing.example.com",
    LOG_LEVEL: "silent",
    ...NO_RATE_LIMITS,
  });
  // Advances a little on each call, so that records have an order; it is too little to show.
  const clock = { now: () => (now = now.add({ microseconds: 1 })) };
  const platform = composePlatform(config, { clock, recomputeInvoice: contradict });
  const app = await composeApi(platform);
  try {
    const request = { name: "Example", isSandbox: true, keyName: "example", permissions: ALL_PERMISSIONS };
    const { key } = await makeOrganization(platform, request);
    const deliver: Deliver = async (id) => deliverOf(platform, id ?? "");
    const call = onFixedDays(callOf(app, key));
    const withCounts: Call = async (method, path, ...rest) => {
      // A timer would do it, on a slow machine before the example is recorded, and on a fast one after.
      if (path.startsWith("/security_log")) await platform.flushSecurity();
      return call(method, path, ...rest);
    };
    const examples = await callAll(document, withCounts, deliver);
    return JSON.parse(namerOfIds()(withoutSecrets(JSON.stringify(examples))));
  } finally {
    await app.close();
    await platform.close();
  }
}

const withFixedDays = <T>(body: T): T =>
  body && JSON.parse(JSON.stringify(body).replace(/("subscription_at":")[^"]+/g, `$1${SUBSCRIBED}`));

const onFixedDays =
  (call: Call): Call =>
  (method, path, body, options) =>
    call(method, path, withFixedDays(body), options);

/** Lists last, so that they have something to show. */
const rankOf = (name: string): number => (name.startsWith("GET") ? (SAMPLES[name]?.given ? 1 : 2) : 0);

async function callAll({ paths }: Document, call: Call, deliver: Deliver): Promise<Examples> {
  const requests: Record<string, unknown> = {};
  const responses: Record<string, unknown> = {};
  const samples = Object.entries(SAMPLES).sort(([one], [other]) => rankOf(one) - rankOf(other));
  for (const [index, [name, sample]] of samples.entries()) {
    const [method = "", pattern = ""] = name.split(" ");
    const operation = paths[`/api/v1${pattern.replace(/:(\w+)/g, "{$1}")}`]?.[method.toLowerCase()];
    if (!operation?.operationId) throw new Error(`${name} is not described`);
    const mark = String(index + 1);
    const named = (await sample.given?.(call, mark, deliver)) ?? {};
    const body = withFixedDays(sample.body?.(mark, named));
    const path = toPath(pattern, named);
    const takesPages = operation.parameters?.some(({ $ref }) => $ref?.endsWith("/PerPage"));
    const url = takesPages ? `${path}${path.includes("?") ? "&" : "?"}per_page=1` : path;
    const { status, body: answer, text } = await call(method as "GET", url, body);
    if (body) requests[operation.operationId] = body;
    const place = operation.responses["200"]?.$ref?.split("/").at(-1) ?? operation.operationId;
    // The first operation of a shared response is its example. A document that is not ready yet answers nothing.
    if (status === 200 && text !== "") responses[place] ??= Object.keys(answer).length > 0 ? answer : text;
  }
  return { requests, responses };
}
