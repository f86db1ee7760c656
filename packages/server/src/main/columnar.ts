/**
 * Where usage is read from: Postgres, or the copy of the events in ClickHouse if the settings name one. Also the work that maintains the
 * copy.
 */
import {
  createClickhouseEventStore,
  createPostgresEventStore,
  createRelay,
  createRollups,
  derivationsOf,
  deriveNext,
  type EventStore,
  openedUpTo,
  type Relay,
  restartDerivations,
} from "../modules/usage/index.ts";
import type { Clickhouse } from "../platform/clickhouse/clickhouse.ts";
import { createMigratedClickhouse } from "../platform/clickhouse/migrate.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/postgres/database.ts";
import type { Log } from "../platform/telemetry/log.ts";
import type { Metrics } from "../platform/telemetry/metrics.ts";
import { type Config, clickhouseOf } from "./config.ts";

type Deps = {
  readonly db: Database;
  readonly dispatcherDb: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
};

type Columnar = {
  readonly clickhouse: Clickhouse | undefined;
  readonly relay: Relay | undefined;
  readonly events: EventStore;
  /** The consumers of accepted events. */
  readonly consumers: Readonly<Record<string, () => Promise<boolean>>>;
};

/** The time limit for summing a day of a very large metric. */
const DERIVING_MS = 3_600_000;

export function composeColumnar(config: Config, deps: Deps): Columnar {
  const postgres = createPostgresEventStore(deps.db);
  const server = clickhouseOf(config);
  if (!server) return { clickhouse: undefined, relay: undefined, events: postgres, consumers: {} };
  const clickhouse = createMigratedClickhouse(server);
  const deriving = { derivationsOf, restartDerivations: restartDerivations(deps.clock) };
  const relay = createRelay({ ...deps, clickhouse, deriving });
  const rollups = createRollups({ ...deps, clickhouse });
  const patient = createMigratedClickhouse({ ...server, timeoutMs: DERIVING_MS });
  const derive = { ...deps, clickhouse: patient, relay: { catchUp: relay.catchUp, openedUpTo } };
  const close = async (): Promise<void> => {
    await Promise.all([clickhouse.close(), patient.close()]);
  };
  return {
    clickhouse: { ...clickhouse, close },
    relay,
    events: createClickhouseEventStore({ clickhouse, postgres, relay, rollups }),
    consumers: { relay: relay.step, rollups: () => deriveNext(derive) },
  };
}
