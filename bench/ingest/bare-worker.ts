/** The bare statement: one process, some connections, parameters created before the clock starts, no HTTP. */

import { toColumns } from "../../packages/server/src/modules/events/ingest/event-columns.ts";
import { readEvent, sliceEvents } from "../../packages/server/src/modules/events/ingest/read-events.ts";
import { storeEvents } from "../../packages/server/src/modules/events/ingest/store.ts";
import { systemClock } from "../../packages/server/src/platform/clock.ts";
import { newIdBytes } from "../../packages/server/src/platform/new-id.ts";
import { createDatabase } from "../../packages/server/src/platform/postgres/database.ts";
import { createPool } from "../../packages/server/src/platform/postgres/pool.ts";
import { type Mix, makeBatches, type SentEvent } from "./workload.ts";

export type Storing = {
  databaseUrl: string;
  organizationIds: readonly string[];
  connections: number;
  statements: number;
  batchSize: number;
  mix: Mix;
};
export type Stored = { seconds: number; cpuSeconds: number };

process.once("message", (storing: Storing) => {
  const { databaseUrl: url, connections, statements, batchSize, mix, organizationIds } = storing;
  const db = createDatabase(createPool({ url, role: "app", connectionsMax: connections, statementTimeoutMs: 0 }));
  const groups = makeBatches(statements, batchSize, mix).map((events, index) => {
    const organizationId = organizationIds[index % organizationIds.length] ?? "";
    return { organizationId, columns: columnsOf(organizationId, events) };
  });
  const begin = async (): Promise<void> => {
    const queue = groups.values();
    const begun = performance.now();
    const cpu = process.cpuUsage();
    await Promise.all(
      Array.from({ length: connections }, async (_, lane) => {
        for (const { organizationId, columns } of queue) await storeEvents(db, organizationId, lane, columns);
      }),
    );
    const seconds = (performance.now() - begun) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    // Keeps the connections until the time of their backends is read.
    process.once("disconnect", () => void db.destroy());
    process.send?.({ seconds, cpuSeconds: (user + system) / 1e6 });
  };
  process.once("message", () => void begin());
  process.send?.("ready");
});

function columnsOf(organizationId: string, events: readonly SentEvent[]) {
  const slices = sliceEvents(JSON.stringify({ events }), "events");
  const read = events.map((event, index) => {
    const reading = readEvent(event, slices[index] ?? { timestamp: undefined, properties: undefined }, undefined);
    if (!("event" in reading)) throw new Error(JSON.stringify(reading.codes));
    return reading.event;
  });
  return toColumns([read], { organizationId, receivedAt: systemClock.now(), ids: newIdBytes(events.length) });
}
