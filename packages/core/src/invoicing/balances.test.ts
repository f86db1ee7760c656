import { describe, expect, it, test } from "vitest";
import { currency, decimal, minor } from "../money/index.ts";
import { useCreditNotes, useWallets } from "./balances.ts";
import type { Wallet } from "./index.ts";

const EUR = currency("EUR");
const cents = (amount: number) => minor(BigInt(amount));
const day = (number: number) => Temporal.Instant.from("2024-01-01T00:00:00Z").add({ hours: 24 * number });

describe("credit notes", () => {
  const note = (id: string, balance: number, age: number) => ({
    id,
    number: id,
    invoiceId: `invoice of ${id}`,
    currency: EUR,
    createdAt: day(age),
    balanceMinor: cents(balance),
  });
  const demand = { owedMinor: cents(1000), currency: EUR, invoiceId: "new" };
  const used = (notes: readonly ReturnType<typeof note>[], owed = 1000) =>
    useCreditNotes(notes, { ...demand, owedMinor: cents(owed) }).map(
      ({ note: { id }, amountMinor, balanceMinor, status }) => `${id} ${amountMinor} leaves ${balanceMinor} ${status}`,
    );

  test("the oldest pays first, whatever the order given", () => {
    const notes = [note("young", 700, 3), note("old", 600, 1), note("middle", 300, 2)];
    const expected = ["old 600 leaves 0 consumed", "middle 300 leaves 0 consumed", "young 100 leaves 600 available"];
    expect(used(notes)).toEqual(expected);
    expect(used(notes.toReversed())).toEqual(expected);
  });

  test("of one age the smaller id pays first", () => {
    const notes = [note("a", 600, 1), note("b", 600, 1)];
    const expected = ["a 600 leaves 0 consumed", "b 400 leaves 200 available"];
    expect(used(notes)).toEqual(expected);
    expect(used(notes.toReversed())).toEqual(expected);
  });

  test("a note lives over several invoices: 5000 pays 3100, then 1900, then nothing", () => {
    expect(used([note("n", 5000, 1)], 3100)).toEqual(["n 3100 leaves 1900 available"]);
    expect(used([note("n", 1900, 1)], 3100)).toEqual(["n 1900 leaves 0 consumed"]);
    expect(used([note("n", 0, 1)], 3100)).toEqual([]);
  });

  test("nothing is used where nothing is owed", () => expect(used([note("n", 5000, 1)], 0)).toEqual([]));

  test("notes of the invoice itself and of other currencies are not used", () => {
    const own = { ...note("own", 500, 1), invoiceId: "new" };
    const foreign = { ...note("foreign", 500, 1), currency: currency("USD") };
    expect(used([own, foreign, note("n", 5, 9)])).toEqual(["n 5 leaves 0 consumed"]);
  });
});

describe("wallets", () => {
  const wallet = (id: string, balance: number, rest: { priority?: number; age?: number; rate?: string } = {}) => ({
    id,
    priority: rest.priority ?? 50,
    createdAt: day(rest.age ?? 1),
    expiresAt: null,
    currency: EUR,
    rate: decimal(rest.rate ?? "1"),
    balanceMinor: cents(balance),
  });
  const used = (wallets: readonly Wallet[], owed: number) =>
    useWallets(wallets, { owedMinor: cents(owed), currency: EUR, at: day(100) }).map(
      ({ wallet: { id }, amountMinor, credits, balanceMinor }) =>
        `${id} ${amountMinor} with ${credits.toFixed()} credits leaves ${balanceMinor}`,
    );

  it.each([
    ["more than the balance", 6170, ["w 5000 with 25 credits leaves 0"]],
    ["less than the balance", 1234, ["w 1234 with 6.17 credits leaves 3766"]],
    ["exactly the balance", 5000, ["w 5000 with 25 credits leaves 0"]],
    ["nothing", 0, []],
  ])("25 credits at a rate of 2 pay an invoice of %s", (_, owed, expected) => {
    expect(used([wallet("w", 5000, { rate: "2" })], owed)).toEqual(expected);
  });

  test("credits have 5 decimals", () => {
    expect(used([wallet("w", 5000, { rate: "3" })], 200)).toEqual(["w 200 with 0.66667 credits leaves 4800"]);
  });

  test("priority 1 comes before 2, then the older one, then the smaller id", () => {
    const wallets = [
      wallet("a", 1000, { priority: 2, age: 1 }),
      wallet("b", 500, { priority: 1, age: 2 }),
      wallet("c", 1000, { priority: 2, age: 3 }),
      wallet("d", 1000, { priority: 2, age: 3 }),
    ];
    expect(used(wallets, 1200)).toEqual(["b 500 with 5 credits leaves 0", "a 700 with 7 credits leaves 300"]);
    const all = used(wallets, 2600);
    expect(all.at(-1)).toBe("d 100 with 1 credits leaves 900");
    expect(used(wallets.toReversed(), 2600)).toEqual(all);
  });

  test("from the instant of its expiry a wallet pays nothing", () => {
    expect(used([{ ...wallet("w", 500), expiresAt: day(100) }], 100)).toEqual([]);
    expect(used([{ ...wallet("w", 500), expiresAt: day(99) }], 100)).toEqual([]);
    const aMomentLater = day(100).add({ nanoseconds: 1 });
    expect(used([{ ...wallet("w", 500), expiresAt: aMomentLater }], 100)).toHaveLength(1);
  });

  test("a wallet of another currency pays nothing", () => {
    expect(used([{ ...wallet("w", 500), currency: currency("USD") }], 100)).toEqual([]);
  });
});
