/** Two organizations and one request after the other, so that whatever changed, the last request changed. */
import type { FastifyInstance } from "fastify";
import type { Call } from "../../packages/server/src/testing/start-tallystick.ts";
import { tryAgain } from "../../packages/server/src/testing/try-again.ts";
import type { ReadChanges } from "./changes.ts";
import type { Method, Operation } from "./document.ts";
import { type Answer, compareRepeat, type Finding, lookAt } from "./oracles.ts";
import { nextRequest, type Requested } from "./requests.ts";
import { chance, type Random, wholeUpTo } from "./values.ts";
import { type Pair, rememberAnswer, rememberSent, type Tenant } from "./world.ts";

/** Sends a request for an organization; a wrong service is a wire that does more. */
export type Wire = (requested: Requested, tenant: Tenant, other: Tenant) => Promise<Answer>;

export type Stage = {
  wire: Wire;
  operations: readonly Operation[];
  readChanges: ReadChanges;
  /** Hands a message of the outbox to the webhooks, as a worker does. */
  deliver: (objectId?: string) => Promise<void>;
  note: (seen: Seen) => void;
};

export type Seen = { requested: Requested; answer: Answer; milliseconds: number; findings: readonly Finding[] };

export type Portion = { pair: Pair; random: Random; count: number; signal: AbortSignal };

export async function fuzz(stage: Stage, { pair, random, count, signal }: Portion): Promise<void> {
  let sent = 0;
  let marks = 0;
  const send = async (queried: Requested, tenant: Tenant, other: Tenant): Promise<Answer> => {
    sent++;
    return observe(stage, queried, tenant, other);
  };
  const organizationIds = pair.map(({ organizationId }) => organizationId);
  await stage.readChanges(organizationIds);
  // What a worker does is not what the next request did.
  const deliver = async (objectId?: string): Promise<void> => {
    await stage.deliver(objectId);
    await stage.readChanges(organizationIds);
  };
  while (sent < count) {
    signal.throwIfAborted();
    const [tenant, other] = chance(random, 0.5) ? pair : [pair[1], pair[0]];
    // Names come again, in the same organization and in the other one.
    const mark = chance(random, 0.3) ? `m${wholeUpTo(random, marks)}` : `m${++marks}`;
    const call: Call = async (method, path, body) => {
      const answer = await send(asSample(stage.operations, method, path, body), tenant, other);
      return { ...answer, body: answer.body as never, help: {}, headers: {} };
    };
    const newMark = () => `m${++marks}`;
    const request = await nextRequest(stage.operations, { random, tenant, other, mark, newMark, call, deliver });
    const answer = await send(request, tenant, other);
    // Only a POST takes a key; elsewhere it is a header like any other.
    if (request.operation.takesIdempotencyKey && request.headers["idempotency-key"] !== undefined)
      await repeat(stage, request, answer, [tenant, other]);
  }
}

async function observe(stage: Stage, request: Requested, tenant: Tenant, other: Tenant): Promise<Answer> {
  rememberSent(tenant, request.url);
  rememberSent(tenant, String(request.payload ?? ""));
  const begun = performance.now();
  const answer = await stage.wire(request, tenant, other);
  const milliseconds = performance.now() - begun;
  const changes = await stage.readChanges([tenant.organizationId, other.organizationId]);
  const findings = lookAt({ requested: request, answer, tenant, other, changes });
  stage.note({ requested: request, answer, milliseconds, findings });
  if (answer.status < 300) rememberAnswer(tenant, other, answer);
  return answer;
}

async function repeat(stage: Stage, request: Requested, first: Answer, [tenant, other]: Pair): Promise<void> {
  const again = await stage.wire(request, tenant, other);
  const changes = await stage.readChanges([tenant.organizationId, other.organizationId]);
  stage.note({ requested: request, answer: again, milliseconds: 0, findings: compareRepeat(first, again, changes) });
}

/** What samples send while they make their records is looked at like everything else. */
function asSample(operations: readonly Operation[], method: Method, path: string, body: unknown): Requested {
  const [plain = ""] = path.split("?");
  const operation = operations.find((each) => each.method === method && patternOf(each).test(plain));
  if (!operation) throw new Error(`A sample sends ${method} ${path}, which the description does not know.`);
  return {
    operation,
    kind: "valid",
    url: path,
    headers: {},
    payload: body === undefined ? undefined : JSON.stringify(body),
  };
}

const patterns = new WeakMap<Operation, RegExp>();

function patternOf(operation: Operation): RegExp {
  const known = patterns.get(operation) ?? new RegExp(`^${operation.path.replace(/\{\w+\}/g, "[^/]+")}$`);
  patterns.set(operation, known);
  return known;
}

/** On a machine that stands still 503 is no finding; what is answered so again and again is. */
export const wireOf =
  (app: FastifyInstance): Wire =>
  (request, tenant) =>
    tryAgain(() => sendOnce(app, request, tenant));

async function sendOnce(
  app: FastifyInstance,
  { operation, url, headers, payload }: Requested,
  { key }: Tenant,
): Promise<Answer> {
  const response = await app.inject({
    method: operation.method,
    url: `/api/v1${url}`,
    headers: {
      authorization: `Bearer ${key}`,
      ...(payload === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(payload === undefined ? {} : { payload }),
  });
  const isJson = String(response.headers["content-type"]).includes("json");
  return { status: response.statusCode, text: response.body, body: isJson ? response.json() : response.body, isJson };
}
