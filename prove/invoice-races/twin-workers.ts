/** The billing job started twice at once: two workers with nothing between them but the database have the same weeks to bill. */
import { setTimeout as pause } from "node:timers/promises";
import { composePlatform } from "../../packages/server/src/main/compose.ts";
import { composeWorker } from "../../packages/server/src/main/compose-work.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { countRow, openVerifier } from "../invoice-checks.ts";
import { addWeeksToBill, countOpenDues, countWeeksEnded, openPastService } from "../unbilled-weeks.ts";
import { makeWeeklyPlan } from "../weekly-customers.ts";

const WEEKS = 10;
const LOOK_EVERY_MS = 100;

export type TwinWorld = { organizationId: string };

export async function makeTwinWorld(url: string, periods: number): Promise<TwinWorld> {
  const past = await openPastService(url, WEEKS);
  try {
    const { id, key } = await makeOrganization(past.platform, { name: "Twins", isSandbox: false, keyName: "campaign" });
    const call = past.callWith(key);
    await makeWeeklyPlan(call);
    for (let customer = 0; customer < periods / WEEKS; customer++)
      await addWeeksToBill(call, { name: `customer ${customer}`, weeks: WEEKS, now: past.platform.clock.now() });
    return { organizationId: id };
  } finally {
    await past.close();
  }
}

/** Returns how often one of them failed: at what the other had taken. */
export async function billTwice(url: string, signal: AbortSignal): Promise<number> {
  const platforms = ["first", "second"].map(() =>
    composePlatform(readConfig({ DATABASE_URL: url, LOG_LEVEL: "error" })),
  );
  const records = openVerifier(url);
  const workers = await Promise.all(platforms.map((platform) => composeWorker(platform)));
  try {
    while ((await countOpenDues(records)) > 0) await pause(LOOK_EVERY_MS, undefined, { signal });
    const failures = await Promise.all(platforms.map(({ metrics }) => metrics.workFailed.get()));
    return failures.flatMap(({ values }) => values).reduce((sum, { value }) => sum + value, 0);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
    await Promise.all(platforms.map((platform) => platform.close()));
    await records.end();
  }
}

export type TwinFindings = { periods: number; broken: Record<"periodsNotBilled" | "periodsBilledTwice", number> };

/** As many invoices as weeks that ended, whoever made them. */
export async function compareTwins(url: string, { organizationId }: TwinWorld): Promise<TwinFindings> {
  const records = openVerifier(url);
  try {
    const periods = await countWeeksEnded(records, organizationId);
    const { made = 0 } = await countRow(
      records,
      "select count(*) as made from invoices where organization_id = $1 and sequential_id is not null",
      [organizationId],
    );
    const broken = { periodsNotBilled: Math.max(0, periods - made), periodsBilledTwice: Math.max(0, made - periods) };
    return { periods, broken };
  } finally {
    await records.end();
  }
}
