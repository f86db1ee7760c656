/** Many who finalize drafts of one organization at once, each draft more than once, while their connections are dropped. */
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { createRandom } from "../random.ts";
import type { Call, Send, Service } from "../served-api.ts";
import { advanceTestClock } from "../test-clocks.ts";
import { makeTestClock, makeWeeklyPlan, subscribeWeekly } from "../weekly-customers.ts";

export const FINALIZERS = 64;
const TIMES_REQUESTED = 2;
const DRAFTS_PER_CUSTOMER = 10;
/** Longer than the campaign's time: nothing is finalized by itself. */
const GRACE_DAYS = 1000;
const CUT_EVERY_MS = 40;
const DRAFTS_PER_CUT = 4;
const BEGINS = Temporal.Instant.from("2024-01-01T00:00:00Z");

export type DraftWorld = { key: string; testClockId: string };

/** One series of numbers for all, which is where they meet. */
export async function makeDraftWorld(service: Service, drafts: number): Promise<DraftWorld> {
  const { key } = await makeOrganization(service.platform, { name: "Drafts", isSandbox: true, keyName: "campaign" });
  const call = service.callWith(key);
  await call("PUT", "/organizations", { organization: { document_numbering: "per_organization" } });
  await makeWeeklyPlan(call);
  const testClockId = await makeTestClock(call, BEGINS);
  for (let customer = 0; customer < drafts / DRAFTS_PER_CUSTOMER; customer++)
    await subscribeWeekly(call, { name: `customer ${customer}`, testClockId, graceDays: GRACE_DAYS });
  return { key, testClockId };
}

export type Finalizing = { seed: number; signal: AbortSignal };

/** How it was answered, and how often a connection was dropped. `unavailable`: safe to ask again. `failed`: a bug. */
export type Finalized = { finalized: number; refused: number; unavailable: number; failed: number; cuts: number };

export async function finalizeAll(
  service: Service,
  { key, testClockId }: DraftWorld,
  { seed, signal }: Finalizing,
): Promise<Finalized> {
  const call = service.callWith(key);
  const to = BEGINS.add({ hours: 24 * 7 * DRAFTS_PER_CUSTOMER }).toString();
  await advanceTestClock(call, testClockId, { to, signal });
  const drafts = await listDrafts(call);
  const expected = shuffle(
    drafts.flatMap((id) => Array<string>(TIMES_REQUESTED).fill(id)),
    createRandom(seed),
  );
  const done: Finalized = { finalized: 0, refused: 0, unavailable: 0, failed: 0, cuts: 0 };
  const send = service.sendWith(key);
  const over = new AbortController();
  const cutting = cutConnections(service.url, {
    most: Math.ceil(drafts.length / DRAFTS_PER_CUT),
    signal: AbortSignal.any([signal, over.signal]),
  });
  try {
    await Promise.all(Array.from({ length: FINALIZERS }, () => finalizeSome(send, expected, { done, signal })));
  } finally {
    over.abort();
    done.cuts = await cutting;
  }
  return done;
}

/** What failed is asked again: it may be done or not. */
async function finalizeSome(
  send: Send,
  requested: string[],
  { done, signal }: { done: Finalized; signal: AbortSignal },
): Promise<void> {
  for (let id = requested.pop(); id !== undefined; id = requested.pop()) {
    signal.throwIfAborted();
    const { status, body } = await send("PUT", `/invoices/${id}/finalize`);
    if (status === 200) done.finalized++;
    else if (status === 404) done.refused++;
    else if (status >= 500) {
      if (status === 503) done.unavailable++;
      else done.failed++;
      requested.push(id);
    } else throw new Error(`finalizing answered ${status} ${JSON.stringify(body)}`);
  }
}

type Page = { invoices: { svc_id: string }[]; meta: { next_page: number | null } };

async function listDrafts(call: Call): Promise<string[]> {
  const ids: string[] = [];
  for (let page: number | null = 1; page !== null; ) {
    const { invoices, meta }: Page = await call<Page>("GET", `/invoices?status=draft&per_page=1000&page=${page}`);
    ids.push(...invoices.map(({ svc_id: id }) => id));
    page = meta.next_page;
  }
  return ids;
}

/**
 * Now and then a connection that is at work and waits for no lock, so that it is often the one that has the next number: it must
 * come back.
 */
async function cutConnections(url: string, { most, signal }: { most: number; signal: AbortSignal }): Promise<number> {
  const login = new pg.Client({ connectionString: url });
  await login.connect();
  let cuts = 0;
  try {
    while (!signal.aborted && cuts < most) {
      const { rowCount } = await login.query(
        `select pg_terminate_backend(pid) from (
           select pid from pg_stat_activity where application_name = 'tallystick_app' and xact_start is not null
             and wait_event_type is distinct from 'Lock'
           order by random() limit 1
         ) as one`,
      );
      cuts += rowCount ?? 0;
      await pause(CUT_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
    return cuts;
  } finally {
    await login.end();
  }
}

function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item);
}
