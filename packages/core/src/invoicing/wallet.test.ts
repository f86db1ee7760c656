import { describe, expect, it, test } from "vitest";
import { currency, decimal, minor } from "../money/index.ts";
import { amountOfCredits } from "./credits.ts";
import {
  type CreditsDerivation,
  creditsAmountFrom,
  creditsOf,
  depletion,
  explainCredits,
  isThresholdReached,
  nextTopUpAt,
  ongoingBalances,
  parseTopUp,
  ruleTopUps,
  type TopUpRule,
} from "./index.ts";

const EUR = currency("EUR");
const cents = (amount: number) => minor(BigInt(amount));
const instant = Temporal.Instant.from;
const again = (derivation: CreditsDerivation) => creditsAmountFrom(JSON.parse(JSON.stringify(derivation)));

describe("credits are worth whole minor units, and follow them", () => {
  it.each([
    ["100", "2", [20_000n, "100"]],
    ["10", "0.333", [333n, "10"]],
    ["5", "0.001", [1n, "10"]],
    ["4", "0.001", [0n, "0"]],
    ["1", "3", [300n, "1"]],
    ["0.33333", "3", [100n, "0.33333"]],
    ["1.000009", "100000", [10_000_000n, "1"]],
    ["0.000019", "100000", [100n, "0.00001"]],
  ])("%s credits at %s", (credits, rate, expected) => {
    const {
      amountMinor,
      credits: worth,
      derivation,
    } = amountOfCredits(decimal(credits), { rate: decimal(rate), currency: EUR });
    expect([amountMinor, worth.toFixed()]).toEqual(expected);
    expect(again(derivation)).toBe(amountMinor);
  });

  test("in a currency without minor unit", () => {
    const yen = amountOfCredits(decimal("2.5"), { rate: decimal("3"), currency: currency("JPY") });
    expect([yen.amountMinor, yen.credits.toFixed()]).toEqual([8n, "2.66667"]);
  });

  test("12.34 at a rate of 2 are 6.17 credits", () => {
    expect(creditsOf(cents(1234), { rate: decimal("2"), currency: EUR }).toFixed()).toBe("6.17");
  });

  test("they can be checked by hand", () => {
    const { derivation } = amountOfCredits(decimal("5"), { rate: decimal("0.001"), currency: EUR });
    expect(explainCredits(derivation)).toEqual(["5 credits × 0.001 = 0.005, rounded to 0.01 EUR"]);
  });
});

describe("top-ups", () => {
  const wallet = { rate: decimal("2"), currency: EUR, status: "active", balanceMinor: cents(1000) } as const;
  const faults = (error: Record<string, string[]>) => ({ ok: false, error });

  test("one transaction of each requested kind", () => {
    const topUps = parseTopUp({ paid_credits: "10", granted_credits: "0.5", voided_credits: "5" }, wallet);
    expect(topUps).toMatchObject({
      ok: true,
      value: [
        { kind: "purchased", amountMinor: 2000n },
        { kind: "granted", amountMinor: 100n },
        { kind: "voided", amountMinor: 1000n },
      ],
    });
  });

  it.each([
    ["nothing", {}],
    ["zero", { paid_credits: "0", granted_credits: "0.0", voided_credits: "0" }],
    ["null", { paid_credits: null, granted_credits: null }],
  ])("%s makes no transaction", (_, input) => expect(parseTopUp(input, wallet)).toEqual({ ok: true, value: [] }));

  it.each(["abc", "-1", "1e3", "", " 1", "1,5", 10, true, {}])("%j is not a number of credits", (credits) => {
    const input = { paid_credits: credits, granted_credits: credits, voided_credits: credits };
    expect(parseTopUp(input, wallet)).toEqual(
      faults({
        paid_credits: ["invalid_paid_credits", "invalid_amount"],
        granted_credits: ["invalid_granted_credits"],
        voided_credits: ["invalid_voided_credits"],
      }),
    );
  });

  test("credits that are worth no money are refused", () => {
    expect(parseTopUp({ granted_credits: "0.0024" }, wallet)).toEqual(
      faults({ granted_credits: ["amount_rounds_to_zero"] }),
    );
    expect(parseTopUp({ granted_credits: "0.0025" }, wallet)).toMatchObject({ value: [{ amountMinor: 1n }] });
  });

  test("more money than a JSON number can show is refused", () => {
    const most = "45035996273704.955";
    expect(parseTopUp({ paid_credits: most }, wallet)).toMatchObject({
      value: [{ amountMinor: 2n ** 53n - 1n }],
    });
    expect(parseTopUp({ paid_credits: "45035996273704.96" }, wallet)).toEqual(
      faults({ paid_credits: ["invalid_paid_credits", "invalid_amount"] }),
    );
  });

  test("no more can be voided than is there", () => {
    expect(parseTopUp({ voided_credits: "5.01" }, wallet)).toEqual(
      faults({ voided_credits: ["insufficient_credits"] }),
    );
    expect(parseTopUp({ voided_credits: "5" }, wallet).ok).toBe(true);
    expect(parseTopUp({ granted_credits: "6" }, wallet).ok).toBe(true);
  });

  test("a wallet that has ended takes nothing", () => {
    expect(parseTopUp({ granted_credits: "1" }, { ...wallet, status: "terminated" })).toEqual(
      faults({ wallet_id: ["wallet_is_terminated"] }),
    );
  });
});

describe("the ongoing balance", () => {
  const at = instant("2024-01-10T00:00:00Z");
  const wallet = (id: string, balance: number, priority = 50) => ({
    id,
    priority,
    createdAt: instant("2024-01-01T00:00:00Z"),
    expiresAt: null,
    currency: EUR,
    rate: decimal("2"),
    balanceMinor: cents(balance),
  });
  const shown = (wallets: ReturnType<typeof wallet>[], usage: number) =>
    ongoingBalances(wallets, cents(usage), at).map(
      ({ walletId, usageMinor, usageCredits, balanceMinor, balanceCredits }) =>
        `${walletId}: ${usageMinor} (${usageCredits.toFixed()}) leaves ${balanceMinor} (${balanceCredits.toFixed()})`,
    );

  test("100.00 with 30.00 of usage and 20 % of taxes are 64.00", () => {
    expect(shown([wallet("w", 10_000)], 3600)).toEqual(["w: 3600 (18) leaves 6400 (32)"]);
  });

  test("it may be below zero", () => expect(shown([wallet("w", 100)], 300)).toEqual(["w: 300 (1.5) leaves -200 (-1)"]));

  test("several wallets bear usage in the order of use, the last one all that remains", () => {
    const wallets = [wallet("second", 500, 2), wallet("first", 300, 1)];
    expect(shown(wallets, 200)).toEqual(["first: 200 (1) leaves 100 (0.5)", "second: 0 (0) leaves 500 (2.5)"]);
    expect(shown(wallets, 700)).toEqual(["first: 300 (1.5) leaves 0 (0)", "second: 400 (2) leaves 100 (0.5)"]);
    expect(shown(wallets, 900)).toEqual(["first: 300 (1.5) leaves 0 (0)", "second: 600 (3) leaves -100 (-0.5)"]);
  });

  test("expired wallets bear nothing", () => {
    expect(ongoingBalances([{ ...wallet("w", 100), expiresAt: at }], cents(1), at)).toEqual([]);
  });

  it.each([
    [false, 1, { isDepleted: false, isNews: false }],
    [false, 0, { isDepleted: true, isNews: true }],
    [false, -1, { isDepleted: true, isNews: true }],
    [true, 0, { isDepleted: true, isNews: false }],
    [true, 1, { isDepleted: false, isNews: false }],
  ])("depleted before: %s, now %i: %o", (was, balance, expected) => {
    expect(depletion(was, cents(balance))).toEqual(expected);
  });
});

describe("top-up rules", () => {
  const state = (ongoing: number, pending = 0, rate = "1") => ({
    rate: decimal(rate),
    currency: EUR,
    ongoingBalanceMinor: cents(ongoing),
    pendingMinor: cents(pending),
  });
  const trigger = { type: "threshold", credits: decimal("10") } as const;

  it.each([
    ["8 ongoing", state(800), true],
    ["10 ongoing, the threshold itself", state(1000), true],
    ["10.01 ongoing", state(1001), false],
    ["7 ongoing and 50 on their way", state(700, 5000), false],
    ["7 ongoing and 3 on their way", state(700, 300), true],
    ["7 ongoing and 3.01 on their way", state(700, 301), false],
    ["below zero", state(-100), true],
    ["20.00 at a rate of 2", state(2000, 0, "2"), true],
    ["20.01 at a rate of 2", state(2001, 0, "2"), false],
  ])("a threshold of 10 credits with %s: %o", (_, wallet, expected) => {
    expect(isThresholdReached(trigger.credits, wallet)).toBe(expected);
  });

  const added = (method: TopUpRule["method"], wallet: ReturnType<typeof state>) =>
    ruleTopUps({ trigger, method }, wallet).map(
      ({ kind, amountMinor, credits, derivation }) =>
        `${kind} ${again(derivation) === amountMinor ? amountMinor : "?"} (${credits.toFixed()})`,
    );

  test("fixed credits are added as they are; none of a kind make no transaction", () => {
    const method = { type: "fixed", paidCredits: decimal("50"), grantedCredits: decimal("5") } as const;
    expect(added(method, state(800))).toEqual(["purchased 5000 (50)", "granted 500 (5)"]);
    expect(added({ ...method, paidCredits: decimal("0") }, state(800))).toEqual(["granted 500 (5)"]);
    expect(added({ ...method, grantedCredits: decimal("0") }, state(800))).toEqual(["purchased 5000 (50)"]);
  });

  test("a target adds what is missing, and nothing if nothing is", () => {
    const method = { type: "target", credits: decimal("200") } as const;
    expect(added(method, state(800))).toEqual(["purchased 19200 (192)"]);
    expect(added(method, state(-500))).toEqual(["purchased 20500 (205)"]);
    expect(added(method, state(800, 0, "3"))).toEqual(["purchased 59200 (197.33333)"]);
    expect(added(method, state(19_999))).toEqual(["purchased 1 (0.01)"]);
    expect(added(method, state(20_000))).toEqual([]);
    expect(added(method, state(20_001))).toEqual([]);
    const [topUp] = ruleTopUps({ trigger, method }, state(800));
    expect(explainCredits(topUp?.derivation as CreditsDerivation)).toEqual([
      "200 credits × 1 = 200, less 8.00 that is there, rounded to 192.00 EUR",
    ]);
  });

  const days = (interval: "weekly" | "monthly" | "yearly", anchoredAt: string, timeZone = "UTC") => ({
    interval,
    anchoredAt: instant(anchoredAt),
    timeZone,
  });
  /** The next instants, one after the other. */
  const next = (rule: ReturnType<typeof days>, after: string, count: number) => {
    let at = instant(after);
    return Array.from({ length: count }, () => {
      at = nextTopUpAt(rule, at);
      return at.toString();
    });
  };

  test("a month after the creation, clamped to the month's end and never drifting; not on the creation day", () => {
    expect(next(days("monthly", "2024-01-31T10:00:00Z"), "2024-01-31T10:00:00Z", 4)).toEqual([
      "2024-02-29T00:00:00Z",
      "2024-03-31T00:00:00Z",
      "2024-04-30T00:00:00Z",
      "2024-05-31T00:00:00Z",
    ]);
  });

  test("also for a wallet created as its day begins", () => {
    expect(next(days("weekly", "2024-01-01T00:00:00Z"), "2024-01-01T00:00:00Z", 2)).toEqual([
      "2024-01-08T00:00:00Z",
      "2024-01-15T00:00:00Z",
    ]);
  });

  test("a rule that starts later begins on its first day", () => {
    const rule = days("monthly", "2024-03-10T15:00:00Z");
    expect(next(rule, "2024-01-31T10:00:00Z", 2)).toEqual(["2024-03-10T00:00:00Z", "2024-04-10T00:00:00Z"]);
    expect(next(rule, "2024-03-09T23:59:59.999999999Z", 1)).toEqual(["2024-03-10T00:00:00Z"]);
    expect(next(rule, "2024-03-10T00:00:00Z", 1)).toEqual(["2024-04-10T00:00:00Z"]);
  });

  test("a rule that started before counts on from there", () => {
    expect(next(days("yearly", "2023-12-15T00:00:00Z"), "2024-12-15T09:00:00Z", 1)).toEqual(["2025-12-15T00:00:00Z"]);
  });

  test("days are those of the customer", () => {
    expect(next(days("monthly", "2024-01-31T20:00:00Z", "Asia/Tokyo"), "2024-01-31T20:00:00Z", 1)).toEqual([
      "2024-02-29T15:00:00Z",
    ]);
  });
});
