/** What one organization was shown tells its neighbor nothing: neither an ETag nor a place in a list. */
import { expect, test } from "vitest";
import { type Call, callersOf, startTallystick } from "../testing/start-tallystick.ts";

const { call, organizations } = await startTallystick({ callers: callersOf(import.meta.url) });
const asTheirs: Call = (method, path, body, options) =>
  call(method, path, body, { key: organizations[1]?.key ?? "", ...options });

const tax = (code: string) => ({ tax: { name: "Same", code, rate: "1" } });

test("the ETag of a record matches no equal record of another organization", async () => {
  await call("POST", "/taxes", tax("same"));
  await asTheirs("POST", "/taxes", tax("same"));
  const [own, other] = [await call("GET", "/taxes/same"), await asTheirs("GET", "/taxes/same")];
  expect(own.headers.etag).not.toBe(other.headers.etag);
  const headers = { "if-match": String(own.headers.etag) };
  const change = { tax: { name: "Changed" } };
  expect((await asTheirs("PUT", "/taxes/same", change, { headers })).status).toBe(412);
  expect((await call("PUT", "/taxes/same", change, { headers })).status).toBe(200);
});

test("a cursor of another organization is only a place: the list has the caller's own records", async () => {
  for (const code of ["one", "two", "three"]) await call("POST", "/taxes", tax(code));
  await asTheirs("POST", "/taxes", tax("theirs"));
  const { next_cursor } = (await call("GET", "/taxes?limit=1")).body.meta;
  const { status, body } = await asTheirs("GET", `/taxes?limit=10&cursor=${encodeURIComponent(next_cursor)}`);
  expect(status).toBe(200);
  const own = (await asTheirs("GET", "/taxes")).body.taxes.map(({ svc_id }: { svc_id: string }) => svc_id);
  for (const { svc_id } of body.taxes) expect(own).toContain(svc_id);
});
