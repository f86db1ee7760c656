import { expect, it, test } from "vitest";
import { badTexts } from "../testing/bad-texts.ts";
import { documentRoutes, expectHarmless, inLanes } from "../testing/request-fields.ts";
import { queryOf } from "../testing/sample-requests.ts";
import { startTallystick } from "../testing/start-tallystick.ts";

const { app, call } = await startTallystick();
const routes = await documentRoutes(app);
const named = routes.filter(({ path }) => path.includes(":"));
const lists = routes.filter(({ method, path }) => method === "GET" && !path.includes(":"));

/** Percent-encoded. A lone surrogate is encoded as three bytes. */
const encode = (text: string): string =>
  text
    .split(/([\ud800-\udbff][\udc00-\udfff])/)
    .flatMap((part) => (part.isWellFormed() ? [encodeURIComponent(part)] : [...part].map(encodeUnit)))
    .join("");
const encodeUnit = (unit: string): string =>
  unit.isWellFormed() ? encodeURIComponent(unit) : [0xed, 0xa0, 0x80].map((byte) => `%${byte.toString(16)}`).join("");

/** Encodings that no encoder produces. */
const RAW = [
  "%00",
  "%ff",
  "%zz",
  "%",
  "%2",
  "%C0%AF",
  "%ED%A0%80",
  "%F4%90%80%80",
  "%u0041",
  "a%00b",
  "%2e%2e%2f",
  "%252e",
  "'",
  "<>",
  "|",
  "a;b",
  "a+b",
  "*",
  "x".repeat(2049),
  "%F0%9F%98%80".repeat(255),
];

const SEGMENTS = [...badTexts(1).map(encode), ...RAW].filter((text) => !/^(\.|%2e){0,2}$/i.test(text));

it.each(named)("$name finds nothing under a bad name", async (route) => {
  const { method, path, sample } = route;
  const share = method === "GET" ? SEGMENTS : SEGMENTS.filter((_, index) => index % 3 === 0).concat(RAW);
  await inLanes(share, 6, async (segment) => {
    const answer = await call(
      method as "GET",
      path.replace(/:\w+/, () => segment) + queryOf(path, { external_subscription_id: "url" }),
      sample.body?.("url", {}),
    );
    expectHarmless(answer, route, segment);
    if (![400, 404, 414].includes(answer.status)) expect.fail(`${segment} is ${answer.status}`);
  });
});

it.each(lists)("$name takes every bad text in its query, as a value and as a name", async (route) => {
  await inLanes(SEGMENTS, 6, async (text) => {
    const answer = await call("GET", `${route.path}?page=${text}&per_page=${text}&${text}=${text}&${text}`);
    expectHarmless(answer, route, text);
  });
});

it.each([
  ["%00", 404],
  ["a%00", 404],
  ["%ff", 400],
  ["%zz", 400],
  ["%", 400],
  ["%ED%A0%80", 400],
])("/taxes/%s is %i", async (segment, status) => {
  expect((await call("GET", `/taxes/${segment}`)).status).toBe(status);
  expect((await call("GET", `/taxes?page=${segment}`)).status).toBe(status);
});

test("every bad text that HTTP can carry is harmless as an idempotency key, a request id and a bearer", async () => {
  const [create] = routes.filter(({ name }) => name === "POST /taxes");
  const carried = badTexts(1).filter((text) => /^[\x20-\x7e\x80-\xff]+$/.test(text));
  expect(carried.length).toBeGreaterThan(100);
  await inLanes([...carried.entries()], 6, async ([index, text]) => {
    const body = { tax: { name: "Header", code: `header ${index}`, rate: "1" } };
    const answer = await call("POST", "/taxes", body, { headers: { "idempotency-key": text, "x-request-id": text } });
    if (create) expectHarmless(answer, create, text);
    const refused = await call("GET", "/taxes", undefined, { key: text });
    if (refused.status !== 401) expect.fail(`the key ${text} is ${refused.status}`);
  });
});

test("two spellings of one letter are two customers", async () => {
  const composed = "Ame\u0301lie".normalize("NFC");
  const decomposed = composed.normalize("NFD");
  const create = (external_id: string) => call("POST", "/customers", { customer: { external_id } });
  const [one, two] = [await create(composed), await create(decomposed)];
  expect(one.body.customer.svc_id).not.toBe(two.body.customer.svc_id);
  for (const [external_id, { body }] of [[composed, one] as const, [decomposed, two] as const]) {
    const shown = (await call("GET", `/customers/${encodeURIComponent(external_id)}`)).body.customer;
    expect([shown.svc_id, shown.external_id]).toEqual([body.customer.svc_id, external_id]);
  }
});

test("an id as long as allowed is found again, also in letters that take twelve characters of a URL each", async () => {
  for (const external_id of ["\u{1F600}".repeat(255), "%".repeat(255), "/".repeat(255), "é".repeat(255)]) {
    expect((await call("POST", "/customers", { customer: { external_id } })).status).toBe(200);
    const { body } = await call("GET", `/customers/${encodeURIComponent(external_id)}`);
    expect(body.customer?.external_id).toBe(external_id);
  }
});
