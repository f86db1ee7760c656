/** Opens the receivables of documents that an earlier release created, in batches. Safe to stop and to repeat. */

import { openNextFees, openNextInvoices } from "../modules/invoicing/index.ts";
import { countOpened, findUnfinishedOpenings, finishOpening } from "../modules/ledger/index.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, inOrganization } from "../platform/postgres/database.ts";
import type { Log } from "../platform/telemetry/log.ts";

const BATCH = 200;

export type OpeningDeps = { db: Database; dispatcherDb: Database; clock: Clock; log: Log };

export function receivableOpening(deps: OpeningDeps): () => Promise<void> {
  let isRunning = false;
  return async () => {
    // A run may take longer than the interval between two runs.
    if (isRunning) return;
    isRunning = true;
    try {
      for (const organizationId of await findUnfinishedOpenings(deps.dispatcherDb)) await openAll(deps, organizationId);
    } finally {
      isRunning = false;
    }
  };
}

async function openAll({ db, clock, log }: OpeningDeps, organizationId: string): Promise<void> {
  let total = 0;
  for (let opened = -1; opened !== 0; total += opened) {
    opened = await inOrganization(db, organizationId, async (tx) => {
      const now = clock.now();
      const count =
        (await openNextInvoices(tx, organizationId, BATCH, now)) + (await openNextFees(tx, organizationId, BATCH, now));
      if (count > 0) await countOpened(tx, organizationId, count);
      else await finishOpening(tx, organizationId, now);
      return count;
    });
  }
  if (total > 0) log.info({ organizationId, opened: total }, "receivables opened");
}
