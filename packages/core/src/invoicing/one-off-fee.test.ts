import { expect, it, test } from "vitest";
import { currency, decimal, minor } from "../money/index.ts";
import { explainOneOff, oneOffFee } from "./index.ts";
import { oneOffAmountFrom } from "./one-off-fee.ts";

const base = { currency: currency("EUR"), addOnAmountMinor: minor(2000n), unitAmountMinor: null, units: null };

it.each([
  ["units of the add-on", { units: decimal("2.5") }, [5000n, 2000n, "2.5"]],
  ["a price of its own, 499.5", { unitAmountMinor: minor(333n), units: decimal("1.5") }, [500n, 333n, "1.5"]],
  ["one, unless it says how many", {}, [2000n, 2000n, "1"]],
  ["a price of 0", { unitAmountMinor: minor(0n) }, [0n, 0n, "1"]],
  ["no units", { units: decimal("0") }, [0n, 2000n, "0"]],
  ["units below zero", { units: decimal("-2") }, [0n, 2000n, "0"]],
  ["a price below zero", { unitAmountMinor: minor(-5n) }, [0n, -5n, "1"]],
])("%s", (_, given, expected) => {
  const { amountMinor, unitAmountMinor, units, derivation } = oneOffFee({ ...base, ...given });
  expect([amountMinor, unitAmountMinor, units.toFixed()]).toEqual(expected);
  expect(oneOffAmountFrom(JSON.parse(JSON.stringify(derivation)))).toBe(amountMinor);
});

test("it can be checked by hand", () => {
  const fee = oneOffFee({ ...base, unitAmountMinor: minor(333n), units: decimal("1.5") });
  expect(explainOneOff(fee.derivation)).toEqual(["1.5 × 3.33 = 4.995, rounded to 5.00 EUR"]);
  const whole = oneOffFee({ ...base, units: decimal("2.5") });
  expect(explainOneOff(whole.derivation)).toEqual(["2.5 × 20.00 = 50.00, rounded to 50.00 EUR"]);
  const fils = oneOffFee({
    ...base,
    currency: currency("KWD"),
    unitAmountMinor: minor(1200n),
    units: decimal("0.001"),
  });
  expect(explainOneOff(fils.derivation)).toEqual(["0.001 × 1.200 = 0.0012, rounded to 0.001 KWD"]);
});
