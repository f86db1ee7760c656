// The short form of the campaign: some zones with odd midnights and new offsets, and any other one, other ones in every run.

import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import type { CampaignOptions } from "../../prove/campaign.ts";
import { createRandom } from "../../prove/random.ts";
import { runZoneYears } from "../../prove/zone-years/campaign.ts";
import { allLivesIn, ZONES } from "../../prove/zone-years/lives.ts";

const ODD_ZONES = [
  "Africa/Cairo",
  "America/Asuncion",
  "America/Coyhaique",
  "America/Havana",
  "America/Santiago",
  "Asia/Almaty",
  "Asia/Beirut",
  "Atlantic/Azores",
];

const long = { timeout: 600_000 };
const seed = randomInt(1, 2 ** 30);
const random = createRandom(seed);
const oneOf = (zones: readonly string[]): string => zones[Math.floor(random() * zones.length)] ?? "UTC";
/** With its invoices a year of a zone takes some ten seconds. */
const zones = [...new Set([oneOf(ODD_ZONES), oneOf(ZONES)])];

const run = async (chosen: readonly string[], added: Partial<CampaignOptions>) => {
  const said: string[] = [];
  const outcome = await runZoneYears(
    {
      count: 1,
      seed,
      isNaive: false,
      dataFolder: undefined,
      signal: new AbortController().signal,
      say: (line) => said.push(line),
      ...added,
    },
    { zones: chosen, livesIn: allLivesIn },
  );
  return { ...outcome, said };
};

test(
  `a year of subscriptions in ${zones.join(", ")} end every period once, in order, where the calendar has it (seed ${seed})`,
  long,
  async () => {
    const { broken, figures, said } = await run(zones, {});
    expect(Object.values(broken).every((count) => count === 0) ? [] : said).toEqual([]);
    expect(figures.subscriptions).toBe(zones.length * 8);
    // 8 subscriptions; two by the week, of which the latest begins in May, have some 70 ends of weeks at least.
    expect(figures.dueRows).toBeGreaterThan(zones.length * 80);
  },
);

test("the same harness finds each fault that is planted in the rows", long, async () => {
  const { broken } = await run(["America/Havana"], { count: 1, isNaive: true });
  const { oracleDisagrees, ...planted } = broken;
  expect(oracleDisagrees).toBe(0);
  expect(Object.entries(planted).filter(([, count]) => count === 0)).toEqual([]);
});
