/** `npm run usage -- …`: maintains the copy of events in ClickHouse. */
import { parseArgs } from "node:util";
import { type Difference, type Relay, rebuild, reconcile, relayStatus } from "../modules/usage/index.ts";
import type { Clickhouse } from "../platform/clickhouse/clickhouse.ts";
import { composePlatform, type Platform } from "./compose.ts";
import { readConfig } from "./config.ts";
import { runCommand } from "./run-until-stopped.ts";

const USAGE = `Usage (CLICKHOUSE_URL names the ClickHouse):
  npm run usage -- status      how far each queue of ClickHouse is behind
  npm run usage -- reconcile   compares both stores by organization, code and hour; exit code 1 where they differ
  npm run usage -- rebuild     rebuilds ClickHouse from Postgres while the service runs, then reconciles`;

type WithCopy = Platform & { clickhouse: Clickhouse; relay: Relay };

await runCommand(async () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const command = { status, reconcile: compareStores, rebuild: rebuildCopy }[positionals[0] ?? ""];
  if (!command) throw new Error(USAGE);
  const platform = composePlatform(readConfig());
  try {
    const { clickhouse, relay } = platform;
    if (!clickhouse || !relay) throw new Error("CLICKHOUSE_URL is not set: usage is read from Postgres");
    await command({ ...platform, clickhouse, relay });
  } finally {
    await platform.close();
  }
});

async function status(platform: WithCopy): Promise<void> {
  const { lanes, accepted, relayed } = await relayStatus(platform);
  for (const line of lanes) console.log(line);
  console.log(`events: ${accepted}, in ClickHouse: ${relayed}, behind: ${accepted - relayed}`);
}

async function compareStores(platform: WithCopy): Promise<void> {
  const { organizations, events, differences } = await reconcile(platform, (found) => console.log(describe(found)));
  // Events that are not copied yet were not compared, and a failing queue will not copy them.
  const { failing } = await relayStatus(platform);
  for (const line of failing) console.log(line);
  console.log(`organizations: ${organizations}, events: ${events}, differences: ${differences.length}`);
  if (differences.length + failing.length > 0) process.exitCode = 1;
}

async function rebuildCopy(platform: WithCopy): Promise<void> {
  const { signal } = new AbortController();
  await rebuild(platform, { say: (line) => console.log(line), signal });
  await compareStores(platform);
}

const describe = ({ organizationId, code, hour, postgres, clickhouse }: Difference): string =>
  `${organizationId}  ${code === null ? "positions that were never assigned" : `${JSON.stringify(code)} ${hour}`}  ` +
  `Postgres: ${postgres.count} events, digest ${postgres.digest}; ClickHouse: ${clickhouse.count}, ${clickhouse.digest}`;
