import { decimal, minor } from "@tallystick/core/money";
import type { KyselyPlugin, RawNode } from "kysely";
import { expect, test } from "vitest";
import { runOn } from "../../platform/postgres/temporary-database.ts";
import { createPutEvents } from "../../testing/put-events.ts";
import { startTallystick } from "../../testing/start-tallystick.ts";
import type { BucketScope } from "./event-store.ts";
import { createPostgresEventStore } from "./postgres-event-store.ts";

const { platform, organizations } = await startTallystick();
const organizationId = organizations[0]?.id ?? "";

const from = Temporal.Instant.from("2024-03-01T00:00:00Z");
const scope: BucketScope = {
  externalSubscriptionId: "many events",
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
  charge: {
    id: "charge",
    metric: { code: "calls", aggregation: { type: "sum", field: "v", isRecurring: false }, filters: [] },
    price: { pricing: { model: "standard", amount: decimal("1") }, groupedBy: [] },
    filters: [],
    timing: { type: "arrears", minAmountMinor: minor(0n) },
    isProrated: false,
  },
  filter: null,
  group: {},
};

const EVENTS = 20_000;
const PAGE = 100;

type Plan = { Plans?: readonly Plan[]; "Node Type": string } & Record<
  "Actual Rows" | "Actual Loops" | "Rows Removed by Filter",
  number | undefined
>;

/** Rows that scans read, including those that a filter removed. */
function rowsRead(plan: Plan): number {
  const inner = (plan.Plans ?? []).reduce((sum, part) => sum + rowsRead(part), 0);
  const isScan = /Seq Scan|Index Scan|Bitmap Heap Scan/.test(plan["Node Type"]);
  const own = (plan["Actual Rows"] ?? 0) + (plan["Rows Removed by Filter"] ?? 0);
  return inner + (isScan ? own * (plan["Actual Loops"] ?? 1) : 0);
}

/** Explains the statement of a page instead of running it. */
function createExplainer() {
  const read: number[] = [];
  const explained = new WeakSet<object>();
  const plugin: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      const { kind, sqlFragments = [] } = node as RawNode;
      if (kind !== "RawNode" || !sqlFragments.some((text) => text.includes("as placed"))) return node;
      explained.add(queryId);
      const [first = "", ...rest] = sqlFragments;
      return { ...node, sqlFragments: [`explain (analyze, format json) ${first}`, ...rest] } as RawNode;
    },
    transformResult: async ({ queryId, result }) => {
      if (!explained.has(queryId)) return result;
      const [row] = result.rows as { "QUERY PLAN": string }[];
      const plans: { Plan: Plan }[] = JSON.parse(row?.["QUERY PLAN"] ?? "[]");
      read.push(...plans.map(({ Plan }) => rowsRead(Plan)));
      return { ...result, rows: [] };
    },
  };
  return { plugin, read };
}

test("a page of events reads about as many rows as it shows, the last page like the first", async () => {
  const put = createPutEvents(platform.db);
  for (let start = 0; start < EVENTS; start += 4000) {
    const events = Array.from({ length: 4000 }, (_, index) => ({
      transactionId: `t${start + index}`,
      code: "calls",
      at: from.add({ seconds: start + index }),
      properties: [["v", "1"]] as const,
      digest: 1n,
    }));
    await put(organizationId, scope.externalSubscriptionId, events, start % 3);
  }
  await runOn(platform.config.DATABASE_URL, "analyze events");
  const all = await createPostgresEventStore(platform.db).readEvents(organizationId, scope);
  expect(all).toHaveLength(EVENTS);
  const { plugin, read } = createExplainer();
  const store = createPostgresEventStore(platform.db.withPlugin(plugin));
  for (const last of [null, all[EVENTS / 2], all[EVENTS - PAGE - 1]]) {
    await store.pageOfEvents(organizationId, scope, { after: last ?? null, size: PAGE });
  }
  expect(read).toHaveLength(3);
  expect(Math.max(...read)).toBeLessThanOrEqual(2 * PAGE);
});
