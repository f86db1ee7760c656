// The short form of the campaign: one restore, to an instant.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { archiveCommand, restoreCommand } from "../../prove/restore/archiving-postgres.ts";
import { runRestores } from "../../prove/restore/campaign.ts";
import { CONTROL, LONG, shortFormOf } from "./short-form.ts";

const run = shortFormOf(runRestores, { count: 1, loadSeconds: 3, archiveTimeoutSeconds: 2 });

test.concurrent(
  "a restore to an instant under load brings back what was acknowledged by then, and goes on to bill what was due",
  LONG,
  async () => {
    const { broken, figures, said } = await run({});
    const found = Object.entries(broken).filter(([, count]) => count !== 0);
    expect({ found, said: found.length > 0 ? said : [] }).toEqual({ found: [], said: [] });
    expect(figures).toMatchObject({ restores: 1 });
    expect(figures.eventsThereMax).toBeGreaterThan(0);
    expect(figures.invoicesLaterMax).toBeGreaterThan(0);
  },
);

test.concurrent("the same harness misses what a backup without its log has not", CONTROL, async () => {
  const { broken } = await run({ isNaive: true });
  expect(broken.eventsMissing).toBeGreaterThan(0);
});

test("the guide says what the campaign does", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../docs/guides/backup-and-restore.md"), "utf8");
  for (const command of [archiveCommand, restoreCommand])
    expect(guide).toContain(command("/backup/archive").replaceAll("'", ""));
});
