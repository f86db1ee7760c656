// The short form of the campaign: 30 lives, always the same ones.

import { expect, test } from "vitest";
import { systemClock } from "../../packages/server/src/platform/clock.ts";
import { runLives } from "../../prove/lives/campaign.ts";
import { MISREADINGS } from "../../prove/lives/model/misreadings.ts";
import { PLANTINGS } from "../../prove/lives/planting.ts";
import { demandShown } from "../../prove/lives/shown-plan.ts";
import { PREVIEW_TAMPERINGS, TAMPERINGS } from "../../prove/lives/tampering.ts";
import { LONG, shortFormOf } from "./short-form.ts";

const run = shortFormOf(runLives, { count: 30 });
const isKept = (broken: Readonly<Record<string, number>>) => Object.values(broken).every((count) => count === 0);

test("30 whole lives are right in every sum, and what is wrong on purpose is found", LONG, async () => {
  const { said, broken, figures } = await run({ seed: 61, isWatched: true });
  expect(isKept(broken) ? [] : said).toEqual([]);
  expect(figures.lives).toBeGreaterThanOrEqual(30);
  const names = [MISREADINGS, TAMPERINGS, PREVIEW_TAMPERINGS, PLANTINGS].flatMap((faults) => Object.keys(faults));
  expect(names.filter((name) => figures[name] !== 1)).toEqual([]);
});

test("a life is lived again by its seed and number, whatever the date is", LONG, async () => {
  const later = { now: () => systemClock.now().add({ hours: 24 * 3650 }) };
  const [first, again] = [await run({ seed: 7, life: 3 }), await run({ seed: 7, life: 3, clock: later })];
  expect(isKept(first.broken) ? [] : first.said).toEqual([]);
  expect(again.figures).toEqual(first.figures);
});

test("a plan that is shown with another value is noticed, one with another form of it is not", () => {
  const sent = { code: "gold", charges: [{ properties: { amount: "1.50" }, tax_codes: ["vat"] }] };
  const shownWith = (amount: string) => ({ ...sent, charges: [{ properties: { amount }, taxes: [{ code: "vat" }] }] });
  expect(() => demandShown(sent, shownWith("1.5"))).not.toThrow();
  expect(() => demandShown(sent, shownWith("15"))).toThrow("plan.charges.0.properties.amount");
  expect(() => demandShown(sent, { ...shownWith("1.5"), charges: [] })).toThrow("planShownOtherwise");
});
