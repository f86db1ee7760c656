/** What a key, or anyone without one, sends to make others wait. Each can be sent again and again. */
import { randomBytes } from "node:crypto";

export type Attack = {
  name: string;
  /** Requests a second, below the rate of a key; the service may refuse them. */
  perSecond: number;
  /** How a single request is answered at default settings: refused, or allowed and bounded. */
  answers: readonly number[];
  request: (world: World, number: number) => AttackRequest;
};

export type AttackRequest = {
  method: "GET" | "POST";
  path: string;
  key?: string;
  body?: string;
  headers?: Record<string, string>;
};

/** What the attacker has made before. */
export type World = { key: string; largeInvoiceId: string };

const of = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
const once = (make: () => unknown) => {
  let text: string | undefined;
  return () => (text ??= JSON.stringify(make()));
};

const wrongCharges = once(() => ({ plan: { name: "P", code: "p", charges: of(49_000, () => 1) } }));
const chargesWithFaults = once(() => ({
  plan: { name: "P", code: "p", charges: of(1_000, () => ({ charge_model: "none", billable_metric_id: 1 })) },
}));
const numbers = once(() => ({ tax: { name: of(99_000, (index) => index) } }));
const nested = once(() => ({ tax: of(24, () => of(1_000, () => ({}))) }));
const longText = once(() => ({
  customer: { external_id: "c", name: "x".repeat(900_000), email: `a@${".".repeat(90_000)}` },
}));
const unknownMembers = once(() => ({ customer: Object.fromEntries(of(1_000, (index) => [`member_${index}`, index])) }));
const properties = Object.fromEntries(of(900, (index) => [`property_${index}`, index]));
const events = (count: number, number: number, payload: object) =>
  JSON.stringify({
    events: of(count, (index) => ({
      transaction_id: `attack ${number} ${index} ${randomBytes(6).toString("hex")}`,
      external_subscription_id: "large",
      code: "calls",
      properties: payload,
    })),
  });

const singleEvent = (number: number) => {
  const transaction_id = `single ${number} ${randomBytes(6).toString("hex")}`;
  return JSON.stringify({ event: { transaction_id, external_subscription_id: "large", code: "calls" } });
};

const post =
  (path: string, body: (number: number) => string) =>
  ({ key }: World, number: number): AttackRequest => ({
    ...{ method: "POST", path: `/api/v1${path}`, key, body: body(number) },
  });
const get =
  (path: (world: World) => string) =>
  (world: World): AttackRequest => ({
    ...{ method: "GET", path: `/api/v1${path(world)}`, key: world.key },
  });
const anyone =
  (path: (number: number) => string, headers: Record<string, string> = {}) =>
  (_: World, number: number): AttackRequest => ({
    ...{ method: "GET", path: path(number), headers },
  });

const REFUSED = [400, 413, 422, 429];

export const ATTACKS: readonly Attack[] = [
  { name: "a plan with 49,000 wrong charges", perSecond: 60, answers: REFUSED, request: post("/plans", wrongCharges) },
  {
    name: "a plan with 1,000 charges with faults",
    perSecond: 60,
    answers: REFUSED,
    request: post("/plans", chargesWithFaults),
  },
  { name: "a body of 99,000 numbers", perSecond: 60, answers: REFUSED, request: post("/taxes", numbers) },
  { name: "a body of 24,000 nested objects", perSecond: 60, answers: REFUSED, request: post("/taxes", nested) },
  { name: "texts of a megabyte", perSecond: 60, answers: REFUSED, request: post("/customers", longText) },
  { name: "1,000 unknown members", perSecond: 60, answers: REFUSED, request: post("/customers", unknownMembers) },
  {
    name: "batches of events with 900 properties each",
    perSecond: 100,
    answers: [200, ...REFUSED],
    request: post("/events/batch", (number) => events(50, number, properties)),
  },
  {
    name: "full batches of events, as fast as allowed",
    perSecond: 600,
    answers: [200, 429],
    request: post("/events/batch", (number) => events(100, number, { group: String(number) })),
  },
  {
    name: "single events, as fast as allowed",
    perSecond: 600,
    answers: [200, 429],
    request: post("/events", singleEvent),
  },
  { name: "pages of large plans", perSecond: 60, answers: [422, 429], request: get(() => "/plans?per_page=1000") },
  {
    name: "pages of plans, as large as allowed",
    perSecond: 60,
    answers: [200, 429],
    request: get(() => "/plans?per_page=2"),
  },
  { name: "one large plan", perSecond: 60, answers: [200, 429], request: get(() => "/plans/large") },
  {
    name: "the explanation of a large invoice",
    perSecond: 60,
    answers: [200, 429, 503],
    request: get(({ largeInvoiceId }) => `/invoices/${largeInvoiceId}/explanation`),
  },
  {
    name: "the verification of a large invoice",
    perSecond: 200,
    answers: [200, 429, 503],
    request: get(({ largeInvoiceId }) => `/invoices/${largeInvoiceId}/verification`),
  },
  {
    name: "a large invoice",
    perSecond: 60,
    answers: [200, 429],
    request: get(({ largeInvoiceId }) => `/invoices/${largeInvoiceId}`),
  },
  {
    name: "current usage in thousands of groups",
    perSecond: 200,
    answers: [200, 429],
    request: get(() => "/customers/large/current_usage?external_subscription_id=large"),
  },
  { name: "requests far above the rate", perSecond: 1_000, answers: [200, 429], request: get(() => "/taxes") },
  {
    name: "keys that do not work",
    perSecond: 600,
    answers: [401, 429],
    request: (_, number) => ({ method: "GET", path: "/api/v1/taxes", key: `tsk_${number}` }),
  },
  {
    name: "the API description without a key",
    perSecond: 200,
    answers: [200, 429],
    request: anyone(() => "/openapi.json"),
  },
  {
    name: "files that do not exist",
    perSecond: 200,
    answers: [404, 429],
    request: anyone((number) => `/files/${number}/x/invoice.pdf?expires=1&signature=x`),
  },
  {
    name: "paths that do not exist",
    perSecond: 600,
    answers: [404, 429],
    request: anyone((number) => `/${"x".repeat(2_000)}${number}`),
  },
];
