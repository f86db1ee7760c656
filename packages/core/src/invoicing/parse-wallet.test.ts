import { describe, expect, it, test } from "vitest";
import { currency, decimal } from "../money/index.ts";
import { parseTopUpLabel, parseWallet, walletAfterUpdate } from "./index.ts";

const EUR = currency("EUR");
const now = Temporal.Instant.from("2024-01-01T00:00:00Z");
const parse = (input: Record<string, unknown>, customerCurrency: typeof EUR | null = EUR) =>
  parseWallet({ rate_amount: "1", ...input }, { now, customerCurrency });
const faults = (error: Record<string, string[]>) => ({ ok: false, error });

test("a wallet with all its members", () => {
  const wallet = parse({
    name: "Main",
    rate_amount: "2.5",
    currency: "EUR",
    priority: 1,
    expiration_at: "2024-06-01",
    paid_credits: "10",
    granted_credits: "4",
  });
  expect(wallet).toMatchObject({
    ok: true,
    value: {
      name: "Main",
      currency: "EUR",
      priority: 1,
      expiresAt: Temporal.Instant.from("2024-06-01T00:00:00Z"),
      topUps: [
        { kind: "purchased", amountMinor: 2500n },
        { kind: "granted", amountMinor: 1000n },
      ],
      rule: null,
    },
  });
  expect(wallet.ok && wallet.value.rate.toFixed()).toBe("2.5");
});

test("the defaults: no name, priority 50, no expiry, no credits, the customer's currency", () => {
  expect(parse({})).toMatchObject({
    ok: true,
    value: { name: null, priority: 50, expiresAt: null, topUps: [], rule: null, currency: "EUR" },
  });
});

describe("currency", () => {
  it.each([
    ["given to a customer without one", { currency: "USD" }, null, "USD"],
    ["the customer's", {}, EUR, "EUR"],
  ])("%s", (_, input, customers, expected) =>
    expect(parse(input, customers)).toMatchObject({ value: { currency: expected } }),
  );

  it.each([
    ["none anywhere", {}, null, "value_is_mandatory"],
    ["another than the customer's", { currency: "USD" }, EUR, "currencies_does_not_match"],
    ["none that exists", { currency: "EURO" }, EUR, "value_is_invalid"],
  ])("%s", (_, input, customers, code) => expect(parse(input, customers)).toEqual(faults({ currency: [code] })));
});

describe("rate", () => {
  it.each(["0.00001", "1", "1000000"])("%s is a rate", (rate_amount) => expect(parse({ rate_amount }).ok).toBe(true));
  it.each([
    [null, "value_is_mandatory"],
    ["0", "value_is_out_of_range"],
    ["-1", "value_is_out_of_range"],
    ["0.000001", "value_is_out_of_range"],
    ["abc", "value_is_invalid"],
    ["-", "value_is_invalid"],
    [1, "value_is_invalid"],
  ])("%j: %s", (rate_amount, code) => expect(parse({ rate_amount })).toEqual(faults({ rate_amount: [code] })));
});

describe("priority", () => {
  it.each([1, 50])("%i", (priority) => expect(parse({ priority })).toMatchObject({ value: { priority } }));
  it.each([
    [0, "value_is_out_of_range"],
    [51, "value_is_out_of_range"],
    [1.5, "value_is_invalid"],
    ["1", "value_is_invalid"],
  ])("%j: %s", (priority, code) => expect(parse({ priority })).toEqual(faults({ priority: [code] })));
});

test("a wallet expires in the future", () => {
  const refused = faults({ expiration_at: ["invalid_date"] });
  expect(parse({ expiration_at: "2020-01-01T00:00:00Z" })).toEqual(refused);
  expect(parse({ expiration_at: "2024-01-01T00:00:00Z" })).toEqual(refused);
  expect(parse({ expiration_at: "soon" })).toEqual(refused);
  expect(parse({ expiration_at: "2024-01-01T00:00:01Z" }).ok).toBe(true);
});

test("all faults are reported at once", () => {
  const input = {
    name: 1,
    rate_amount: "0",
    paid_credits: "abc",
    granted_credits: "-x",
    recurring_transaction_rules: [{}],
  };
  expect(parse(input)).toEqual(
    faults({
      name: ["value_is_invalid"],
      rate_amount: ["value_is_out_of_range"],
      paid_credits: ["invalid_paid_credits", "invalid_amount"],
      granted_credits: ["invalid_granted_credits"],
      recurring_transaction_rules: ["invalid_recurring_rule"],
    }),
  );
});

test("credits that are worth no money are refused, of both kinds", () => {
  expect(parse({ rate_amount: "0.001", paid_credits: "4", granted_credits: "4" })).toEqual(
    faults({ paid_credits: ["amount_rounds_to_zero"], granted_credits: ["amount_rounds_to_zero"] }),
  );
});

describe("the rule", () => {
  const withRules = (...recurring_transaction_rules: unknown[]) =>
    parse({ paid_credits: "7", granted_credits: "3", recurring_transaction_rules });
  const rule = (members: Record<string, unknown>) => {
    const wallet = withRules(members);
    return wallet.ok ? JSON.parse(JSON.stringify(wallet.value.rule)) : wallet.error;
  };

  test("adds the wallet's first credits on each interval by default", () => {
    expect(rule({ trigger: "interval", interval: "monthly" })).toEqual({
      trigger: { type: "interval", interval: "monthly", startedAt: null },
      method: { type: "fixed", paidCredits: "7", grantedCredits: "3" },
    });
    const own = { method: "fixed", paid_credits: "0", granted_credits: "5", started_at: "2024-02-01T00:00:00Z" };
    expect(rule({ trigger: "interval", interval: "weekly", ...own })).toEqual({
      trigger: { type: "interval", interval: "weekly", startedAt: "2024-02-01T00:00:00Z" },
      method: { type: "fixed", paidCredits: "0", grantedCredits: "5" },
    });
  });

  test("fills up to a target at a threshold", () => {
    const members = { trigger: "threshold", threshold_credits: "10", method: "target", target_ongoing_balance: "200" };
    expect(rule(members)).toEqual({
      trigger: { type: "threshold", credits: "10" },
      method: { type: "target", credits: "200" },
    });
  });

  test("there may be none, and not two", () => {
    const good = { trigger: "interval", interval: "monthly" };
    expect(withRules()).toMatchObject({ value: { rule: null } });
    const number = faults({ recurring_transaction_rules: ["invalid_number_of_recurring_rules"] });
    expect(withRules(good, good)).toEqual(number);
    expect(parse({ recurring_transaction_rules: good })).toEqual(number);
  });

  it.each([
    [{}],
    [{ trigger: "weekly" }],
    [{ trigger: "interval" }],
    [{ trigger: "interval", interval: "daily" }],
    [{ trigger: "interval", interval: "monthly", started_at: "soon" }],
    [{ trigger: "interval", interval: "monthly", method: "all" }],
    [{ trigger: "interval", interval: "monthly", method: "target" }],
    [{ trigger: "interval", interval: "monthly", method: "target", target_ongoing_balance: "-1" }],
    [{ trigger: "interval", interval: "monthly", paid_credits: "x" }],
    [{ trigger: "interval", interval: "monthly", granted_credits: "x" }],
    [{ trigger: "threshold" }],
    [{ trigger: "threshold", threshold_credits: "x" }],
    ["text"],
    [null],
  ])("%j is none", (members) => {
    expect(withRules(members)).toEqual(faults({ recurring_transaction_rules: ["invalid_recurring_rule"] }));
  });
});

describe("a change of a wallet", () => {
  const expiresAt = Temporal.Instant.from("2024-06-01T00:00:00Z");
  const initial = { paid: decimal("10"), granted: decimal("4") };
  const change = (input: Record<string, unknown>) =>
    walletAfterUpdate({ name: "Main", code: "main", metadata: { team: "a" }, expiresAt }, input, { now, initial });

  it("changes nothing that it does not name", () => {
    expect(change({ rate_amount: "7" })).toEqual({
      ok: true,
      value: { name: "Main", code: "main", metadata: { team: "a" }, expiresAt, rule: undefined },
    });
  });

  it("clears what is null, and a list without rules takes the rule away", () => {
    const cleared = { name: null, code: null, metadata: {}, expiresAt: null, rule: null };
    const members = { name: null, code: null, metadata: null, expiration_at: null, recurring_transaction_rules: [] };
    expect(change(members)).toEqual({ ok: true, value: cleared });
    expect(change({ recurring_transaction_rules: null })).toMatchObject({ ok: true, value: { rule: null } });
  });

  it("replaces the rule; its default credits are the wallet's first credits", () => {
    const rules = [{ trigger: "threshold", threshold_credits: "1", granted_credits: "0" }];
    const changed = change({ recurring_transaction_rules: rules });
    const method = changed.ok ? changed.value.rule?.method : undefined;
    expect(method?.type === "fixed" && [method.paidCredits.toFixed(), method.grantedCredits.toFixed()]).toEqual([
      "10",
      "0",
    ]);
  });

  it("is refused as a new wallet would be", () => {
    expect(change({ name: 7, expiration_at: "2023-01-01", recurring_transaction_rules: [{}, {}] })).toEqual(
      faults({
        name: ["value_is_invalid"],
        expiration_at: ["invalid_date"],
        recurring_transaction_rules: ["invalid_number_of_recurring_rules"],
      }),
    );
  });
});

describe("what is stored with a wallet", () => {
  const stored = (input: Record<string, unknown>) =>
    parseWallet({ rate_amount: "1", currency: "EUR", ...input }, { now, customerCurrency: null });

  it("is kept as it was sent", () => {
    const input = { code: "main", metadata: { team: "a", note: null }, invoice_requires_successful_payment: false };
    expect(stored(input)).toMatchObject({ ok: true, value: { code: "main", metadata: { team: "a", note: null } } });
  });

  it.each([
    [{ metadata: ["team"] }, { metadata: ["value_is_invalid"] }],
    [{ metadata: { team: 7 } }, { metadata: ["value_is_invalid"] }],
    [{ metadata: { team: "a".repeat(256) } }, { metadata: ["value_is_too_long"] }],
    [{ metadata: { ["a".repeat(101)]: "b" } }, { metadata: ["value_is_too_long"] }],
    [
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [at, "b"])) },
      { metadata: ["too_many_keys"] },
    ],
    [{ invoice_requires_successful_payment: true }, { invoice_requires_successful_payment: ["unsupported_value"] }],
  ])("%j is refused", (input, expected) => {
    expect(stored(input)).toEqual(faults(expected));
  });
});

describe("the name and metadata of a transaction", () => {
  it("are kept as they were sent, and are none by default", () => {
    const metadata = [{ key: "order", value: "7" }];
    expect(parseTopUpLabel({ name: "Tokens", metadata })).toEqual({ ok: true, value: { name: "Tokens", metadata } });
    expect(parseTopUpLabel({})).toEqual({ ok: true, value: { name: null, metadata: [] } });
  });

  it.each([
    [{ metadata: { order: "7" } }, { metadata: ["value_is_invalid"] }],
    [{ metadata: ["order"] }, { "metadata[0]": ["value_is_invalid"] }],
    [{ metadata: [{ key: "order" }] }, { "metadata[0].value": ["value_is_mandatory"] }],
    [{ metadata: Array.from({ length: 51 }, () => ({ key: "a", value: "b" })) }, { metadata: ["too_many_keys"] }],
  ])("%j is refused", (input, expected) => {
    expect(parseTopUpLabel(input)).toEqual(faults(expected));
  });
});
