/** Makes or removes sample data, as was requested last. */
import type { Actor } from "../../../http/caller.ts";
import type { JobHandler } from "../../../jobs/queue.ts";
import type { Clock } from "../../../platform/clock.ts";
import { type Database, inOrganization } from "../../../platform/postgres/database.ts";
import type { Log } from "../../../platform/telemetry/log.ts";
import { makeCompany } from "./make-company.ts";
import { removeCompany } from "./remove-company.ts";
import type { Calls, Run } from "./run.ts";
import { beginMaking, noteProgress, type Progress } from "./store.ts";

export const SAMPLE_DATA_JOB = "sample_data";

type Deps = {
  db: Database;
  clock: Clock;
  log: Log;
  /** The trail names the actor. */
  openCalls: (caller: { organizationId: string; actor: Actor }) => Promise<Calls>;
};

/** Another request came, or another worker took over. */
class Superseded extends Error {}

export const sampleDataJobs = (deps: Deps): Record<string, JobHandler> => ({
  [SAMPLE_DATA_JOB]: async (organizationId) => {
    const row = await inOrganization(deps.db, organizationId, (tx) => beginMaking(tx, organizationId));
    if (!row) return;
    const note = async (progress: Progress): Promise<void> => {
      const isLatest = await inOrganization(deps.db, organizationId, (tx) =>
        noteProgress(tx, organizationId, row, progress),
      );
      if (!isLatest) throw new Superseded();
    };
    const actor = { kind: row.actor_kind, id: row.actor_id };
    const { call, close } = await deps.openCalls({ organizationId, actor });
    try {
      await work({ call, row, note }, deps.clock);
    } catch (error) {
      if (error instanceof Superseded) return;
      deps.log.error({ err: error, organization: organizationId }, "the sample data could not be made or removed");
      // It is requested again by a person: a second attempt of the worker would fail in the same way.
      await note({
        status: "failed",
        error: error instanceof Error ? error.message : String(error),
        finished_at: deps.clock.now(),
      });
    } finally {
      await close();
    }
  },
});

async function work(run: Run, clock: Clock): Promise<void> {
  const { row, note } = run;
  // Also before making: an earlier attempt may have left something.
  await removeCompany(run);
  await note({ test_clock_id: null, customers: 0, invoices: 0 });
  if (row.status === "making") await makeCompany(run, clock.now());
  const status = row.status === "making" ? "ready" : "none";
  await note({ status, progress: 100, finished_at: clock.now() });
}
