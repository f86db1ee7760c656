/** Refused events are counted a moment later in batches: a flood of them must not become a flood of writes. */
import type { Clock } from "../../../platform/clock.ts";
import { type Database, inOrganization } from "../../../platform/postgres/database.ts";
import type { Log } from "../../../platform/telemetry/log.ts";
import { countEvents } from "./store.ts";

const WRITE_AFTER_MS = 1000;
/** A separate stripe of counts, so that the ingestion queues do not wait for it. */
const STRIPE = 100;

export type Refused = { conflict: number; rejected: number };

export type RefusedCounter = {
  add: (organizationId: string, refused: Refused) => void;
  /** Writes the remaining counts. */
  close: () => Promise<void>;
};

export function createRefusedCounter({ db, clock, log }: { db: Database; clock: Clock; log: Log }): RefusedCounter {
  let counts = new Map<string, Refused>();
  let timer: NodeJS.Timeout | undefined;

  function add(organizationId: string, { conflict, rejected }: Refused): void {
    const sum = counts.get(organizationId) ?? { conflict: 0, rejected: 0 };
    counts.set(organizationId, { conflict: sum.conflict + conflict, rejected: sum.rejected + rejected });
    timer ??= setTimeout(() => void write(), WRITE_AFTER_MS).unref();
  }

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const taken = counts;
    counts = new Map();
    const hour = clock.now();
    for (const [organizationId, { conflict, rejected }] of taken) {
      const count = { hour, stripe: STRIPE, conflict, rejected };
      await inOrganization(db, organizationId, (tx) => countEvents(tx, organizationId, count)).catch(
        (error: unknown) => {
          log.error({ err: error }, "refused events were not counted");
          add(organizationId, { conflict, rejected });
        },
      );
    }
  }

  return { add, close: write };
}
