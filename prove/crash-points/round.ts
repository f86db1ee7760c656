/** A step of a scenario on a copy of what the steps before it left, with a death or without, and what is left at the end of it. */
import { setTimeout as pause } from "node:timers/promises";
import { createClickhouse, dropDatabase } from "../../packages/server/src/platform/clickhouse/clickhouse.ts";
import { runOn, withDatabase } from "../../packages/server/src/platform/postgres/temporary-database.ts";
import { verify } from "../../packages/server/src/verify/index.ts";
import type { CrashPoint, EffectTimes } from "./crash-point.ts";
import { guardService, type Processes } from "./keep-alive.ts";
import { drawPicture, type Picture, type Row, readRows } from "./picture.ts";
import { digestOf, type Receiver } from "./receiver.ts";
import { createPlay, type Step } from "./scenarios.ts";

const LOOK_EVERY_MS = 20;

export type Stage = {
  /** Of the cluster, without a database of ours. */
  serverUrl: string;
  key: string;
  receiver: Receiver;
  processes: Processes;
  /** Of the engine, without a database; empty where no scenario has one. */
  engineUrl: string;
  isNaive: boolean;
};

/** A step of a scenario, and where it begins. */
export type Begun = {
  step: Step;
  hasClickhouse: boolean;
  /** Names its requests. */
  mark: string;
  /** The database that the steps before left. */
  from: string;
  now: Temporal.Instant;
  /** Whether `verify` looks at what is left. */
  isVerified: boolean;
};

export type Left = {
  /** What the clock shows at the end. */
  now: Temporal.Instant;
  /** How often it died. */
  deaths: number;
  /** Of the process that was there at the end. */
  times: EffectTimes;
  picture: Picture;
  /** What `verify` found, in words. */
  unclean: readonly string[];
  /** Messages that never came. */
  webhooksMissing: number;
  /** Messages that came in other bytes than are stored, or that the service did not send. */
  webhooksWrong: number;
};

/** Leaves `database` behind. */
export async function playStep(stage: Stage, begun: Begun, database: string, crashAt?: CrashPoint): Promise<Left> {
  const { serverUrl, key, receiver, processes, engineUrl, isNaive } = stage;
  const { step, hasClickhouse, mark, from, now, isVerified } = begun;
  await runOn(serverUrl, `create database ${database} template ${from}`);
  const url = withDatabase(serverUrl, database);
  const clickhouse = hasClickhouse ? { url: withDatabase(engineUrl, database), cluster: null } : null;
  receiver.begin();
  const guarded = await guardService(processes, {
    ...{ url, key, mark, crashAt, isNaive, now },
    clickhouseUrl: clickhouse?.url ?? null,
    ...(clickhouse ? { isDrained: () => isCopied(url) } : {}),
  });
  try {
    const play = createPlay(guarded, now);
    await step(play);
    await play.settle();
    const rows = [...(await readRows(url)), ...(clickhouse ? await readCopy(clickhouse) : [])];
    return {
      now: play.now(),
      deaths: guarded.deaths(),
      times: await guarded.times(),
      picture: drawPicture(rows),
      unclean: isVerified ? await findUnclean(url, play.now()) : [],
      ...(await checkWebhooks(url, receiver, now)),
    };
  } finally {
    await guarded.stop();
    if (clickhouse) await dropDatabase(clickhouse);
  }
}

async function findUnclean(url: string, now: Temporal.Instant): Promise<string[]> {
  const broken = (await verify(url, { now })).filter((finding) => finding.broken > 0);
  return broken.map(({ name, rows }) => `${name}: ${JSON.stringify(rows)}`);
}

/** Every message of the step came, and came in the bytes that are stored, however often. */
async function checkWebhooks(url: string, receiver: Receiver, since: Temporal.Instant) {
  const messages = await runOn<{ id: string; payload: string }>(
    url,
    "select id::text as id, payload::text as payload from outbox where created_at >= $1",
    [since.toString()],
  );
  const received = new Map(receiver.received());
  let webhooksMissing = 0;
  let webhooksWrong = 0;
  for (const { id, payload } of messages) {
    const digests = received.get(id) ?? [];
    received.delete(id);
    if (digests.length === 0) webhooksMissing++;
    if (digests.some((digest) => digest !== digestOf(payload))) webhooksWrong++;
  }
  return { webhooksMissing, webhooksWrong: webhooksWrong + received.size };
}

/** The relay keeps a pace by the real time: what it may not send yet is waited for. */
async function isCopied(url: string): Promise<boolean> {
  const [row] = await runOn<{ ahead: number }>(
    url,
    `select (coalesce((select sum(position) from event_heads), 0)
       - coalesce((select sum(position) from relay_cursors cross join unnest(positions) as position), 0))::float8 as ahead`,
  );
  if (row?.ahead === 0) return true;
  await pause(LOOK_EVERY_MS);
  return false;
}

async function readCopy(config: { url: string; cluster: null }): Promise<Row[]> {
  const clickhouse = createClickhouse(config);
  try {
    const rows = await clickhouse.query<object>("select * from events");
    return rows.map((row) => ({ table: "clickhouse events", text: JSON.stringify(row) }));
  } finally {
    await clickhouse.close();
  }
}
