import { expect, test } from "vitest";
import { type Allowed, mayGive, PRESETS, rightsInWords } from "./rights.ts";

test("a preset is called by its name, whatever the order of its resources", () => {
  const billing = PRESETS.find(({ preset }) => preset === "billing")?.permissions ?? {};
  expect(rightsInWords(Object.fromEntries(Object.entries(billing).toReversed()))).toBe("Billing");
});

test("other rights are a sentence, and a long one counts what it leaves out", () => {
  const permissions = { plan: ["read"], invoice: ["write", "read"], tax: ["read"], event: ["write"] } as const;
  const given = Object.fromEntries(Object.entries(permissions).map(([name, actions]) => [name, [...actions]]));
  expect(rightsInWords(given)).toBe("Reads and changes invoices; changes events; reads plans, taxes");
  expect(rightsInWords(given, 1)).toBe("Reads and changes invoices; changes events; reads plans and 1 more");
});

test("what everything includes is not named again", () => {
  expect(rightsInWords({ "*": ["read", "write"], plan: ["write", "read"], api_key: ["read", "write"] })).toBe(
    "Reads and changes everything, API keys",
  );
  expect(rightsInWords({ "*": ["read", "write"], plan: ["read"] })).toBe(
    "Reads and changes everything else; reads plans",
  );
});

test("a right that the person lacks is not handed out", () => {
  const reader: Allowed = [{ resource: "customer", actions: ["read"] }];
  expect(mayGive(reader, { customer: ["read"] })).toBe(true);
  expect(mayGive(reader, { customer: ["read", "write"] })).toBe(false);
  expect(mayGive(reader, { "*": ["read"] })).toBe(false);
});
