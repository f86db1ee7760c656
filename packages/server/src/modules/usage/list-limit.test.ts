import type { Charge } from "@tallystick/core/catalog";
import { decimal, minor } from "@tallystick/core/money";
import { expect, it } from "vitest";
import { ALONE } from "../../platform/postgres/batch.ts";
import { createCopyRelay } from "../../testing/copy-events.ts";
import { createPutEvents } from "../../testing/put-events.ts";
import { startClickhouse } from "../../testing/start-clickhouse.ts";
import { startTallystick } from "../../testing/start-tallystick.ts";
import { createClickhouseEventStore } from "./clickhouse/store/index.ts";
import type { UsageScope } from "./event-store.ts";
import { createPostgresEventStore } from "./postgres-event-store.ts";

const { platform, organizations } = await startTallystick();
const organizationId = organizations[0]?.id ?? "";
const { clickhouse } = await startClickhouse();
const postgres = createPostgresEventStore(platform.db, { listedMax: 2n });
const relay = createCopyRelay(platform.db, clickhouse);
const columnar = createClickhouseEventStore({ clickhouse, postgres, relay, listedMax: 2n });

const from = Temporal.Instant.from("2024-03-01T00:00:00Z");
const scopeOf = (externalSubscriptionId: string): UsageScope => ({
  externalSubscriptionId,
  window: {
    from,
    to: Temporal.Instant.from("2024-04-01T00:00:00Z"),
    timeZone: "UTC",
    firstDay: Temporal.PlainDate.from("2024-03-01"),
    lastDay: Temporal.PlainDate.from("2024-03-31"),
    periodDays: 31,
  },
  historyFrom: from,
  cut: null,
});

const chargeWith = (more: Partial<Charge>): Charge => ({
  id: "charge",
  metric: { code: "calls", aggregation: { type: "sum", field: "v", isRecurring: true }, filters: [] },
  price: { pricing: { model: "standard", amount: decimal("1") }, groupedBy: [] },
  filters: [],
  timing: { type: "arrears", minAmountMinor: minor(0n) },
  isProrated: false,
  ...more,
});

it.each([
  ["Postgres", postgres],
  ["ClickHouse", columnar],
])("more events than the limit are not read one by one: %s refuses, and still adds them up", async (name, store) => {
  const put = createPutEvents(platform.db);
  const events = [0, 1, 2].map((second) => ({
    transactionId: `${name} ${second}`,
    code: "calls",
    at: from.add({ seconds: second }),
    properties: [["v", "1"]] as const,
    digest: 1n,
  }));
  await put(organizationId, name, events.slice(1), 0);
  const [prorated, summed] = [chargeWith({ isProrated: true }), chargeWith({})];
  const unitsOf = async (charge: Charge): Promise<string | undefined> => {
    const [measured] = await store.readUsage(ALONE, organizationId, scopeOf(name), [charge]);
    return measured?.buckets[0]?.quantity.units.toFixed();
  };
  expect(await unitsOf(prorated)).toBe("2");
  await put(organizationId, name, events, 0);
  await expect(unitsOf(prorated)).rejects.toMatchObject({ body: { status: 405, code: "too_many_events_one_by_one" } });
  expect(await unitsOf(summed)).toBe("3");
});
