/** Sums by the hour that are kept while everything is killed: some from the first event on, some begun in the middle. */
import type { Charge } from "../../../packages/core/src/catalog/index.ts";
import { decimal, minor } from "../../../packages/core/src/money/index.ts";
import type { Platform } from "../../../packages/server/src/main/compose.ts";
import {
  createRollups,
  derivationsOf,
  deriveNext,
  findCellDifferences,
  openedUpTo,
  readingsOf,
} from "../../../packages/server/src/modules/usage/index.ts";
import type { Clickhouse } from "../../../packages/server/src/platform/clickhouse/clickhouse.ts";
import { CODES } from "./planned-events.ts";

export type Copied = Pick<Platform, "db" | "dispatcherDb" | "clock" | "log" | "metrics"> & {
  clickhouse: Clickhouse;
  relay: NonNullable<Platform["relay"]>;
  organizationIds: readonly string[];
};

/** As a query does that read very many events. Repeating it changes nothing. */
export async function requestCells(copied: Copied, groupedBy: readonly string[]): Promise<void> {
  const rollups = createRollups({ ...copied, worthFrom: 1n });
  const charges = CODES.map((code): Charge => ({ ...CHARGE, ...chargeOf(code, groupedBy) }));
  for (const organizationId of copied.organizationIds)
    for (const reading of readingsOf(charges, SCOPE))
      await rollups.noteRead({ ...SCOPE, organizationId, externalSubscriptionId: "subscription 0" }, reading, 1n);
}

const chargeOf = (code: string, groupedBy: readonly string[]): Pick<Charge, "metric" | "price"> => ({
  metric: { code, aggregation: { type: "sum", field: "amount", isRecurring: false }, filters: [] },
  price: { pricing: { model: "standard", amount: decimal("1") }, groupedBy },
});

const CHARGE: Pick<Charge, "id" | "filters" | "timing" | "isProrated"> = {
  id: "charge",
  filters: [],
  timing: { type: "arrears", minAmountMinor: minor(0n) },
  isProrated: false,
};

const EPOCH = Temporal.Instant.fromEpochMilliseconds(0);
const DAY = Temporal.PlainDate.from("1970-01-01");
const SCOPE = {
  window: { from: EPOCH, to: EPOCH, timeZone: "UTC", firstDay: DAY, lastDay: DAY, periodDays: 1 },
  historyFrom: EPOCH,
  cut: null,
};

/** Longer than what a killed worker had taken stays its own. */
const LATER = Temporal.Duration.from({ hours: 2 });

/** Derives what is left to derive, then compares every cell with its events. */
export async function compareCells(
  copied: Copied,
  requests: number,
): Promise<Record<"cellsWrong" | "cellsMissing", number>> {
  const { clock, relay, clickhouse, dispatcherDb, organizationIds } = copied;
  // What was in doubt starts over some time later, so twice.
  for (const hours of [LATER, LATER.add(LATER)]) {
    const later = { now: () => clock.now().add(hours) };
    while (await deriveNext({ ...copied, clock: later, relay: { catchUp: relay.catchUp, openedUpTo } }));
  }
  const derivations = await dispatcherDb.transaction().execute((tx) => derivationsOf(tx, organizationIds));
  let cellsWrong = 0;
  for (const derivation of derivations) cellsWrong += (await findCellDifferences(clickhouse, derivation)).length;
  return { cellsWrong, cellsMissing: requests * CODES.length * organizationIds.length - derivations.length };
}
