/** Services that are wrong on purpose: usage that is not read up to the stored snapshot, and numbers from a sequence. */
import { setTimeout as pause } from "node:timers/promises";
import type { Platform } from "../../packages/server/src/main/compose.ts";
import { invoiceDueKinds } from "../../packages/server/src/modules/invoicing/index.ts";
import type { Cut, EventStore } from "../../packages/server/src/modules/usage/index.ts";
import { runOn } from "../../packages/server/src/platform/postgres/temporary-database.ts";

/** Long beside the rest of a race, so that some event falls into it on any machine. */
const A_MOMENT_MS = 60;

/** Reads all that is there by then, beyond the snapshot: what came in between is billed, and is late too. */
const readingOn = (events: EventStore): EventStore => ({
  ...events,
  readUsage: async (barrier, organizationId, scope, charges) => {
    await pause(A_MOMENT_MS);
    return events.readUsage(barrier, organizationId, { ...scope, cut: await events.takeCut(organizationId) }, charges);
  },
});

/** Takes the snapshot after reading: what came in between is neither. */
const cuttingLate = (events: EventStore): EventStore => {
  const before = new WeakMap<Cut, Cut>();
  return {
    ...events,
    takeCut: async (organizationId) => {
      const read = await events.takeCut(organizationId);
      await pause(A_MOMENT_MS);
      const stored = await events.takeCut(organizationId);
      before.set(stored, read);
      return stored;
    },
    readUsage: (barrier, organizationId, scope, charges) =>
      events.readUsage(
        barrier,
        organizationId,
        { ...scope, cut: (scope.cut && before.get(scope.cut)) ?? null },
        charges,
      ),
  };
};

/** The one where an invoice is issued, the other where a draft is finalized. */
export function spoilCut(platform: Platform): Platform {
  const { events, ...deps } = platform;
  // A second opinion would hold what these bill: the harness has to find it by itself.
  const secondOpinion = { ...deps.secondOpinion, isRequested: () => false };
  const kindsWith = (store: EventStore) => invoiceDueKinds({ ...deps, secondOpinion, events: store });
  const spoiled = [
    ...kindsWith(readingOn(events)).filter(({ kind }) => kind === "invoice"),
    ...kindsWith(cuttingLate(events)).filter(({ kind }) => kind === "invoice_finalization"),
  ];
  const kinds = new Map([...platform.registry.kinds, ...spoiled.map((kind) => [kind.kind, kind] as const)]);
  return { ...platform, registry: { ...platform.registry, kinds } };
}

/** A number that was taken is gone, whatever becomes of its invoice. */
export const spoilNumbers = (url: string): Promise<unknown> =>
  runOn(
    url,
    `create sequence naive_numbers;
     grant usage on naive_numbers to tallystick_app;
     create function naive_number() returns trigger language plpgsql as
       $$ begin new.value := nextval('naive_numbers'); return new; end $$;
     create trigger naive_number before insert or update on counters for each row
       when (new.series = 'invoices') execute function naive_number();`,
  );
