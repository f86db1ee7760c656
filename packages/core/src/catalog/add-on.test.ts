import { expect, it, test } from "vitest";
import { addOnMembers } from "./add-on.ts";
import { type AddOn, addOnAfterUpdate, type Members, parseAddOn } from "./index.ts";
import { faultsIn } from "./testing/faults-in.ts";

const SETUP = { name: "Setup", code: "setup", amount_cents: 2000, amount_currency: "EUR" };
const parse = (members: object) => parseAddOn({ ...SETUP, ...members } as Members);

test("an add-on has an amount in a currency", () => {
  expect(parse({ description: "one day", tax_codes: ["vat"], invoice_display_name: "Set-up" })).toEqual({
    ok: true,
    value: {
      name: "Setup",
      code: "setup",
      invoiceDisplayName: "Set-up",
      description: "one day",
      amountMinor: 2000n,
      currency: "EUR",
      taxCodes: ["vat"],
    },
  });
});

it.each([
  [{ name: null }, { name: ["value_is_mandatory"] }],
  [{ code: "" }, { code: ["value_is_mandatory"] }],
  [{ amount_cents: null }, { amount_cents: ["value_is_mandatory"] }],
  [{ amount_cents: 0 }, { amount_cents: ["value_is_out_of_range"] }],
  [{ amount_cents: -1 }, { amount_cents: ["value_is_out_of_range"] }],
  [{ amount_cents: 1.5 }, { amount_cents: ["value_is_invalid"] }],
  [{ amount_currency: "ZZZ" }, { amount_currency: ["value_is_invalid"] }],
  [{ amount_currency: null }, { amount_currency: ["value_is_mandatory"] }],
  [{ tax_codes: [null] }, { tax_codes: ["value_is_invalid"] }],
  [
    { name: "", amount_cents: 0 },
    { name: ["value_is_mandatory"], amount_cents: ["value_is_out_of_range"] },
  ],
])("%j is refused with %j", (members, error) => {
  expect(faultsIn(parse(members))).toEqual(error);
});

test("an update changes the members that are present", () => {
  const current = (parse({ description: "d", tax_codes: ["vat"] }) as { value: AddOn }).value;
  expect(addOnAfterUpdate(current, { amount_cents: 1, description: null })).toEqual({
    ok: true,
    value: { ...current, amountMinor: 1n, description: null },
  });
  expect(addOnAfterUpdate(current, { amount_currency: null })).toEqual({
    ok: false,
    error: { amount_currency: ["value_is_mandatory"] },
  });
  expect(addOnMembers(current)).toMatchObject(SETUP);
});
