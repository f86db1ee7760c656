/** What goes on while backups are made and restored: a client sends events, and customers have weeks to bill. */
import { setTimeout as pause } from "node:timers/promises";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { systemClock } from "../../packages/server/src/platform/clock.ts";
import type { Records } from "../invoice-checks.ts";
import type { ApiCrew } from "../kills/api-crew.ts";
import { eventOf, writeEvent } from "../kills/events/sent-events.ts";
import { createRandomFor } from "../random.ts";
import { addWeeksToBill, countOpenDues, openPastService, type PastService } from "../unbilled-weeks.ts";
import { makeWeeklyPlan } from "../weekly-customers.ts";

const SENDERS = 4;
const BATCH_MAX = 20;
/** The client does not send as fast as it can: the machine has a restore to do as well. */
const REST_MS = 100;
const AGAIN_AFTER_MS = 100;

const WEEKS = 10;
/** So many customers have something to do at once: at any instant some of it is done and some is not. */
const CUSTOMERS_AT_WORK = 3;

/** Microseconds since 1970. */
export type Micros = number;

export const toMicros = (instant: Temporal.Instant): Micros => Number(instant.epochNanoseconds / 1000n);
const nowMicros = (): Micros => toMicros(systemClock.now());

/** What was acknowledged to a client, and when, by the clock of the machine: what a restore must bring back is worked out from this alone. */
export type Log = {
  /** By the number of the event. `sentAt`: before it was sent first. `at`: after its answer. */
  events: { sentAt: Micros; at: Micros | undefined; id: string | undefined }[];
  /** By name: customers with a subscription and events in their weeks, when all of it was acknowledged. */
  customers: Map<string, Micros>;
};

type Tenant = { id: string; key: string };

/** One whose events are counted, and one that bills. */
export type Tenants = { sender: Tenant; seller: Tenant };

export type Load = {
  seed: number;
  tenants: Tenants;
  log: Log;
  /** Throws when something went wrong that the campaign did not cause. */
  assertFine: () => void;
  /** From now on whatever fails does so because the database is gone. */
  expectLoss: () => void;
  stop: () => Promise<void>;
};

export async function startLoad(
  { url, crew, records }: { url: string; crew: ApiCrew; records: Records },
  seed: number,
): Promise<Load> {
  const log: Log = { events: [], customers: new Map() };
  const past = await openPastService(url, WEEKS);
  const tenants = await makeTenants(past);
  const over = new AbortController();
  let failure: unknown;
  let isLossExpected = false;
  const keep = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      if (!over.signal.aborted && !isLossExpected) failure ??= error;
    });
  const sending = Array.from({ length: SENDERS }, () =>
    keep(keepSending({ crew, key: tenants.sender.key, log, seed }, over.signal)),
  );
  const billing = keep(keepBilling({ past, records, key: tenants.seller.key, log }, over.signal));
  return {
    ...{ seed, tenants, log },
    assertFine: () => {
      if (failure) throw failure;
    },
    expectLoss: () => {
      isLossExpected = true;
    },
    stop: async () => {
      if (over.signal.aborted) return;
      over.abort();
      await Promise.all([...sending, billing]);
      await past.close();
    },
  };
}

async function makeTenants({ platform, callWith }: PastService): Promise<Tenants> {
  const make = (name: string) => makeOrganization(platform, { name, isSandbox: false, keyName: "campaign" });
  const [sender, seller] = [await make("Sender"), await make("Seller")];
  await makeWeeklyPlan(callWith(seller.key));
  return { sender, seller };
}

type Sending = { crew: ApiCrew; key: string; log: Log; seed: number };

async function keepSending({ crew, key, log, seed }: Sending, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const first = log.events.length;
    const random = createRandomFor(seed + 1, first);
    const numbers = Array.from({ length: 1 + Math.floor(random() * BATCH_MAX) }, (_, index) => first + index);
    const body = `{"events":[${numbers.map((number) => writeEvent(eventOf(seed, number), random))}]}`;
    const sentAt = nowMicros();
    for (const number of numbers) log.events[number] = { sentAt, at: undefined, id: undefined };
    const ids = await sendUntilAnswered({ crew, key }, body, signal);
    const at = nowMicros();
    for (const [index, number] of numbers.entries()) log.events[number] = { sentAt, at, id: ids[index] };
    await pause(REST_MS, undefined, { signal });
  }
}

async function sendUntilAnswered(
  { crew, key }: Pick<Sending, "crew" | "key">,
  body: string,
  signal: AbortSignal,
): Promise<string[]> {
  for (let turn = 0; ; turn++) {
    await crew.isThere(signal);
    const addresses = crew.addresses();
    const ids = await sendEvents({ address: addresses[turn % addresses.length] ?? "", key }, body, signal);
    if (ids) return ids;
    await pause(AGAIN_AFTER_MS, undefined, { signal });
  }
}

/** The ids under which they are stored, or undefined where no answer says that they are. */
export async function sendEvents(
  { address, key }: { address: string; key: string },
  body: string,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  try {
    const answer = await fetch(`${address}/api/v1/events/batch`, { method: "POST", headers, body, signal });
    const text = await answer.text();
    return answer.status === 200 ? Array.from(text.matchAll(/"svc_id":"([^"]+)"/g), ([, id]) => id ?? "") : undefined;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

type Billing = { past: PastService; records: Records; key: string; log: Log };

async function keepBilling({ past, records, key, log }: Billing, signal: AbortSignal): Promise<void> {
  for (let number = 1; !signal.aborted; ) {
    if ((await countOpenDues(records)) >= CUSTOMERS_AT_WORK) {
      await pause(AGAIN_AFTER_MS, undefined, { signal });
      continue;
    }
    const name = `customer ${number++}`;
    await addWeeksToBill(past.callWith(key), { name, weeks: WEEKS, now: past.platform.clock.now() });
    log.customers.set(name, nowMicros());
  }
}
