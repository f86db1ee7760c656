import type { Aggregation, Charge, ChargeFilter } from "@tallystick/core/catalog";
import { decimal, minor } from "@tallystick/core/money";
import type { UsageWindow } from "@tallystick/core/usage";
import { describe, expect, it, vi } from "vitest";
import { type Clickhouse, createClickhouse } from "../../../../platform/clickhouse/clickhouse.ts";
import { ClickhouseRefused } from "../../../../platform/clickhouse/errors.ts";
import { ALONE } from "../../../../platform/postgres/batch.ts";
import { badTexts } from "../../../../testing/bad-texts.ts";
import { createCopyRelay } from "../../../../testing/copy-events.ts";
import { createPutEvents } from "../../../../testing/put-events.ts";
import { startClickhouse } from "../../../../testing/start-clickhouse.ts";
import { startTallystick } from "../../../../testing/start-tallystick.ts";
import { findDifferences } from "../../event-store.contract.ts";
import type { EventStore } from "../../event-store.ts";
import { createPostgresEventStore } from "../../postgres-event-store.ts";
import type { SentEvent, UsageCase } from "../../random-usage.contract.ts";
import { UsageBehind } from "../relay/index.ts";
import { createClickhouseEventStore } from "./index.ts";

// Each test runs about a hundred statements.
vi.setConfig({ testTimeout: 180_000 });

const { platform, organizations } = await startTallystick({ organizations: 2 });
const { clickhouse } = await startClickhouse();
const [{ id: organizationId } = { id: "" }, { id: emptyOrganizationId } = { id: "" }] = organizations;
const putEvents = createPutEvents(platform.db);
const postgres = createPostgresEventStore(platform.db);
const relay = createCopyRelay(platform.db, clickhouse);

/** Counts the queries to each store. */
function openStore() {
  const requested = { clickhouse: 0, postgres: 0 };
  const counted: Clickhouse = {
    ...clickhouse,
    query: (...statement) => {
      requested.clickhouse += 1;
      return clickhouse.query(...statement);
    },
  };
  const countedPostgres: EventStore = {
    ...postgres,
    readUsage: (...question) => {
      requested.postgres += 1;
      return postgres.readUsage(...question);
    },
  };
  return { requested, store: createClickhouseEventStore({ clickhouse: counted, postgres: countedPostgres, relay }) };
}

const at = (text: string): Temporal.Instant => Temporal.Instant.from(text);
const date = (text: string): Temporal.PlainDate => Temporal.PlainDate.from(text);
const MARCH: UsageWindow = {
  from: at("2024-03-01T00:00:00Z"),
  to: at("2024-04-01T00:00:00Z"),
  timeZone: "UTC",
  firstDay: date("2024-03-01"),
  lastDay: date("2024-03-31"),
  periodDays: 31,
};

const standard = { model: "standard", amount: decimal("0.31") } as const;
const price = (...groupedBy: string[]) => ({ pricing: standard, groupedBy });
const TYPES: readonly Aggregation[] = [
  { type: "count" },
  { type: "sum", field: "v", isRecurring: false },
  { type: "sum", field: "v", isRecurring: true },
  { type: "max", field: "v" },
  { type: "latest", field: "v" },
  { type: "unique_count", field: "v", isRecurring: true },
  { type: "weighted_sum", field: "v", isRecurring: false },
  { type: "weighted_sum", field: "v", isRecurring: true },
];

type Request = Partial<Omit<Charge, "metric">> & { code?: string; keys?: Readonly<Record<string, readonly string[]>> };

const chargeOn = (aggregation: Aggregation, { code = "calls", keys = {}, ...request }: Request = {}): Charge => ({
  id: "charge",
  metric: { code, aggregation, filters: Object.entries(keys).map(([key, values]) => ({ key, values })) },
  price: price(),
  filters: [],
  timing: { type: "arrears", minAmountMinor: minor(0n) },
  isProrated: false,
  ...request,
});

let sent = 0;
const event = (when: Temporal.Instant, properties: Record<string, unknown>, code = "calls"): SentEvent => {
  sent += 1;
  return {
    transactionId: `t${sent}`,
    code,
    at: when,
    properties: Object.entries(properties).map(([name, value]) => [name, JSON.stringify(value ?? null)]),
    digest: 2n ** 128n - BigInt(sent),
  };
};

/** Half of the events are before the snapshot; readers up to it must not see the others. */
const caseOf = (
  charges: readonly Charge[],
  events: readonly SentEvent[],
  given: Partial<UsageCase> = {},
): UsageCase => ({
  charges,
  window: MARCH,
  historyFrom: MARCH.from,
  batches: [
    { lane: 0, events: events.filter((_, index) => index % 2 === 0) },
    { lane: 3, events: events.filter((_, index) => index % 2 === 1) },
  ],
  cutAfter: 1,
  ...given,
});

let tried = 0;
async function differencesOf(usage: UsageCase, store = openStore().store, name = ""): Promise<string[]> {
  tried += 1;
  const put: Parameters<typeof findDifferences>[0]["put"] = (...events) => putEvents(organizationId, ...events);
  return findDifferences({ store, organizationId, put }, `${name}${tried}`, usage);
}

const NOON = at("2024-03-10T12:00:00Z");

describe("numbers", () => {
  const LONGEST = `${"9".repeat(18)}.${"9".repeat(18)}`;
  const ofNumbers = (...texts: string[]) => texts.map((v) => event(NOON, { v }));

  it("are added up in ClickHouse up to 18 digits before the point and 18 after it", async () => {
    const { requested, store } = openStore();
    const padded = `${"0".repeat(900)}1.5${"0".repeat(900)}`;
    const events = ofNumbers(LONGEST, `-${LONGEST}`, LONGEST, LONGEST, "0.000000000000000001", padded, "-0", "x");
    const charges = TYPES.map((aggregation) => chargeOn(aggregation));
    expect(await differencesOf(caseOf(charges, events), store)).toEqual([]);
    expect(requested.postgres).toBe(0);
  });

  it.each([
    ["one more digit after the point", `0.${"0".repeat(18)}1`],
    ["the largest possible number of digits", `-${"0".repeat(982)}${"7".repeat(18)}.${"3".repeat(1000)}`],
  ])("with %s are added up in Postgres", async (_, long) => {
    const { requested, store } = openStore();
    const charges = [
      ...TYPES.map((aggregation) => chargeOn(aggregation)),
      chargeOn({ type: "sum", field: "other", isRecurring: false }),
    ];
    const events = [...ofNumbers("1", long, "2.5", long), event(NOON, { other: "4" })];
    expect(await differencesOf(caseOf(charges, events), store)).toEqual([]);
    expect(requested.postgres).toBeGreaterThan(0);
  });

  it("beyond the length of a number, or with one more digit before the point, do not count as numbers", async () => {
    const { requested, store } = openStore();
    const charges = TYPES.map((aggregation) => chargeOn(aggregation));
    const wide = [`1${"0".repeat(18)}`, `-1${"0".repeat(30)}.5`, `000${"9".repeat(19)}`];
    const events = ofNumbers("1", `${"0".repeat(2002)}1`, "0".repeat(2003), ...wide, "3");
    expect(await differencesOf(caseOf(charges, events), store)).toEqual([]);
    expect(requested.postgres).toBe(0);
  });
});

describe("texts of users", () => {
  const TEXTS = [
    // Texts that ingestion refuses never get here.
    ...badTexts(8).filter((text) => text.isWellFormed() && !text.includes("\0")),
    "{p0:String}",
    "\\N",
    "NULL",
    "\\",
    "\\'",
    "a\tb\nc\rd\be\ff",
    "%",
    "key_0",
    "properties",
  ];

  it("are never read as SQL, at any place", async () => {
    const events = TEXTS.map((text, index) => event(NOON, { v: index, [text]: text, key: text, group: text }));
    const keys = { key: TEXTS, [TEXTS[0] ?? ""]: [TEXTS[0] ?? ""] };
    const filters = TEXTS.map(
      (text, index): ChargeFilter => ({
        id: `filter ${index}`,
        values: { key: [text] },
        price: price("group"),
      }),
    );
    const charges = [
      chargeOn({ type: "sum", field: "v", isRecurring: false }, { keys, filters }),
      chargeOn({ type: "unique_count", field: "key", isRecurring: false }, { price: price("group") }),
    ];
    expect(await differencesOf(caseOf(charges, events))).toEqual([]);
  });

  it("name metrics, properties and subscriptions", async () => {
    for (const text of TEXTS.filter((text, index) => text !== "" && index % 8 === 0)) {
      const events = [event(NOON, { [text]: "2", [`${text}'`]: "eu" }, text), event(NOON, { [text]: "3" }, text)];
      const charge = chargeOn(
        { type: "sum", field: text, isRecurring: false },
        {
          code: text,
          keys: { [`${text}'`]: ["eu"] },
          filters: [{ id: "eu", values: { [`${text}'`]: ["eu"] }, price: price(text) }],
        },
      );
      expect(await differencesOf(caseOf([charge], events), openStore().store, text)).toEqual([]);
    }
  });

  it("that are empty are values of a filter and of a unique count, unlike a missing property", async () => {
    const events = [{ v: "", key: "" }, { v: "", operation_type: "" }, {}, { key: "a" }, { v: null, key: null }].map(
      (properties) => event(NOON, properties),
    );
    const filters = [{ id: "empty", values: { key: [""] }, price: price() }];
    const keys = { key: ["", "a"] };
    const charges = TYPES.map((aggregation) => chargeOn(aggregation, { keys, filters }));
    expect(await differencesOf(caseOf(charges, events))).toEqual([]);
  });
});

describe("filters", () => {
  it("may be a hundred, of several keys each", async () => {
    const names = Array.from({ length: 10 }, (_, index) => `value ${index}`);
    const filters = names.flatMap((one, first) =>
      names.map(
        (other, second): ChargeFilter => ({
          id: `${first} ${second}`,
          values: second % 3 === 0 ? { one: [one] } : { one: [one, "value 0"], other: [other, "value 5"] },
          price: price(...(second % 2 === 0 ? ["group"] : [])),
        }),
      ),
    );
    const events = Array.from({ length: 60 }, (_, index) =>
      event(NOON.add({ seconds: index % 7 }), {
        v: String(index),
        one: names[index % 11],
        other: names[(index * 7) % 12],
        group: String(index % 3),
      }),
    );
    const sum = chargeOn(
      { type: "sum", field: "v", isRecurring: false },
      { keys: { one: names, other: names }, filters },
    );
    expect(await differencesOf(caseOf([sum], events))).toEqual([]);
  });
});

describe("instants", () => {
  const around = (instant: string) =>
    [-1000, 0, 1000].map((nanoseconds, index) => event(at(instant).add({ nanoseconds }), { v: String(index + 1) }));

  it("are compared to the microsecond, even with a window that begins and ends between two", async () => {
    const window = { ...MARCH, from: at("2024-03-01T00:00:00.000001001Z"), to: at("2024-03-31T23:59:59.999999999Z") };
    const events = [
      ...around("2024-03-01T00:00:00.000001Z"),
      ...around("2024-03-31T23:59:59.999999Z"),
      ...around("2024-03-15T00:00:00Z"),
    ];
    const charges = TYPES.map((aggregation) => chargeOn(aggregation));
    const historyFrom = at("2024-03-01T00:00:00Z");
    expect(await differencesOf(caseOf(charges, events, { window, historyFrom }))).toEqual([]);
  });

  it.each([
    ["0001-01-01", "the first year"],
    ["1969-12-01", "the years before 1970"],
    ["2262-05-01", "years beyond 64 bits of nanoseconds"],
    ["9999-11-01", "the last year"],
  ])("from %s are exact: %s", async (day) => {
    const firstDay = date(day);
    const lastDay = firstDay.add({ days: 29 });
    const from = firstDay.toZonedDateTime("UTC").toInstant();
    const to = firstDay.add({ days: 30 }).toZonedDateTime("UTC").toInstant();
    const window = { ...MARCH, from, to, firstDay, lastDay, periodDays: 30 };
    const events = [...around(String(from)), ...around(String(from.add({ hours: 50 }))), ...around(String(to))].filter(
      (sent) => Temporal.Instant.compare(sent.at, at("0001-01-01T00:00:00Z")) >= 0,
    );
    const charges = TYPES.map((aggregation) => chargeOn(aggregation));
    expect(await differencesOf(caseOf(charges, events, { window, historyFrom: from }))).toEqual([]);
  });
});

describe("usage that does not exist", () => {
  const scope = { externalSubscriptionId: "nobody", window: MARCH, historyFrom: MARCH.from };
  const charges = TYPES.map((aggregation) => chargeOn(aggregation, { price: price("group") }));

  it("is read as nothing for an organization without events, with and without a snapshot", async () => {
    const { store } = openStore();
    for (const cut of [null, await store.takeCut(emptyOrganizationId)]) {
      const expected = await postgres.readUsage(ALONE, emptyOrganizationId, { ...scope, cut }, charges);
      expect(JSON.stringify(await store.readUsage(ALONE, emptyOrganizationId, { ...scope, cut }, charges), write)).toBe(
        JSON.stringify(expected, write),
      );
      expect(await store.readAccepted(ALONE, emptyOrganizationId, { ...scope, cut }, charges)).toEqual(
        charges.map(() => []),
      );
    }
  });

  it("is answered without a query if there are no charges", async () => {
    const { requested, store } = openStore();
    expect(await store.readUsage(ALONE, organizationId, { ...scope, cut: null }, [])).toEqual([]);
    expect(await store.readAccepted(ALONE, organizationId, { ...scope, cut: null }, [])).toEqual([]);
    expect(await store.wasLowered(organizationId, { ...scope, cut: null }, [])).toEqual([]);
    expect(requested.clickhouse).toBe(0);
  });
});

const write = (_: string, value: unknown): unknown => (typeof value === "bigint" ? `${value}n` : value);

describe("statements", () => {
  it("are as many for many charges and events as for few", async () => {
    const count = async (copies: number, events: number): Promise<number> => {
      const { requested, store } = openStore();
      const removed = { type: "unique_count", field: "user", isRecurring: true } as const;
      const sum = { type: "sum", field: "v", isRecurring: true } as const;
      const charges = Array.from({ length: copies }, (_, index) => [
        ...TYPES.map((aggregation) => chargeOn(aggregation, { code: `metric ${index}` })),
        chargeOn(removed, { code: `metric ${index}`, isProrated: true }),
        chargeOn(sum, { code: `metric ${index}`, isProrated: true }),
      ]).flat();
      const sent = Array.from({ length: events }, (_, index) =>
        event(
          NOON,
          { v: "1", user: `user ${index % 5}`, operation_type: index % 2 === 0 ? "add" : "remove" },
          "metric 0",
        ),
      );
      const externalSubscriptionId = `statements ${copies}`;
      await putEvents(organizationId, externalSubscriptionId, sent, 0);
      const cut = await store.takeCut(organizationId);
      await store.readUsage(
        ALONE,
        organizationId,
        { externalSubscriptionId, window: MARCH, historyFrom: MARCH.from, cut },
        charges,
      );
      return requested.clickhouse;
    };
    const few = await count(1, 6);
    expect(await count(6, 300)).toBe(few);
    expect(few).toBe(4);
  });
});

describe("while ClickHouse lacks events", () => {
  const scope = { externalSubscriptionId: "waiting", window: MARCH, historyFrom: MARCH.from };
  const charges = [chargeOn({ type: "count" })];
  const behind = (reason: "behind" | "rebuilding") =>
    createClickhouseEventStore({
      clickhouse,
      postgres,
      relay: { catchUp: () => Promise.reject(new UsageBehind(reason)) },
    });

  it("usage up to a snapshot is refused with a reason, so that billing tries again", async () => {
    const cut = await postgres.takeCut(organizationId);
    for (const reason of ["behind", "rebuilding"] as const) {
      const refused = behind(reason).readUsage(ALONE, organizationId, { ...scope, cut }, charges);
      await expect(refused).rejects.toThrow(new UsageBehind(reason).message);
      await expect(refused).rejects.toMatchObject({ body: { status: 503, code: "usage_not_ready" } });
    }
  });

  it("current usage comes from Postgres during a rebuild of ClickHouse", async () => {
    await putEvents(organizationId, "waiting", [event(NOON, {})], 0);
    const [usage] = await behind("rebuilding").readUsage(ALONE, organizationId, { ...scope, cut: null }, charges);
    expect(usage?.eventsSeen).toBe(1n);
  });

  it("an unreachable ClickHouse gives the same refusal, and our own error does not", async () => {
    const nobody = createClickhouse({ url: "http://127.0.0.1:1/tallystick", cluster: null });
    const store = createClickhouseEventStore({ clickhouse: nobody, postgres, relay });
    const refused = store.readUsage(ALONE, organizationId, { ...scope, cut: null }, charges);
    await expect(refused).rejects.toMatchObject({ body: { status: 503, code: "usage_not_ready" } });
    const wrong = { ...clickhouse, query: () => clickhouse.query("select nothing from nowhere") } as Clickhouse;
    const broken = createClickhouseEventStore({ clickhouse: wrong, postgres, relay });
    await expect(broken.readUsage(ALONE, organizationId, { ...scope, cut: null }, charges)).rejects.toThrow(
      ClickhouseRefused,
    );
    await nobody.close();
  });
});

describe("a reader without a snapshot", () => {
  it("sees what the relay has copied, and nothing after it in any of its statements", async () => {
    const [early, late] = [event(NOON, { v: "1" }), event(NOON, { v: "2" })];
    await putEvents(organizationId, "reached", [early], 1);
    const reached = await postgres.takeCut(organizationId);
    await putEvents(organizationId, "reached", [late], 1);
    await relay.catchUp(organizationId, null, AbortSignal.timeout(1000));
    const slow = createClickhouseEventStore({ clickhouse, postgres, relay: { catchUp: async () => reached } });
    const scope = { externalSubscriptionId: "reached", window: MARCH, historyFrom: MARCH.from, cut: null };
    const charges = [chargeOn({ type: "count" })];
    const [usage] = await slow.readUsage(ALONE, organizationId, scope, charges);
    expect(usage).toMatchObject({ eventsSeen: 1n, buckets: [{ digest: null, quantity: { eventsFolded: 1n } }] });
    const [accepted] = await slow.readAccepted(ALONE, organizationId, scope, charges);
    expect(accepted?.map(({ transactionId }) => transactionId)).toEqual([early.transactionId]);
  });
});
