/** Everything that can happen to credits, all at once: what is left is what is left when it happens one after the other. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { runOn } from "../../packages/server/src/platform/postgres/temporary-database.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import { countRow, openVerifier, type Records } from "../invoice-checks.ts";
import { openProgress, type ProgressKeeper } from "../progress.ts";
import { countUnclean, type Service, withService } from "../served-api.ts";
import { countOpenDues, openPastService, type PastService } from "../unbilled-weeks.ts";
import { checkCredits } from "./checks.ts";
import { CLIENTS, type Fight, fight } from "./clients.ts";
import { compare, readStored } from "./compare.ts";
import { readJournal } from "./journal.ts";
import { spoilLock } from "./naive.ts";
import { replay } from "./replay.ts";
import { type Customer, makeCustomers, makeWorld, WEEKS, type World } from "./world.ts";

/** As many as the customers of a round are good for. */
const OPERATIONS_IN_ROUND = 1000;
/** Of the service: several clients are at work, and the others wait for their turn, as they would elsewhere. */
const CONNECTIONS = 14;
const SAID_MAX = 5;
const LOOK_EVERY_MS = 50;

export const creditRaces: Campaign = {
  summary:
    "32 clients top up, pay, bounce, spend, expire, void, credit and write off at once: balances of a sequential model, nothing twice",
  counts: "operations",
  countByDefault: 100_000,
  run: runCreditRaces,
};

const NOTHING_DONE = { operations: 0, accepted: 0, refused: 0, unavailable: 0, paymentsRepeatedTenTimes: 0 };
const NOTHING_BROKEN = {
  operationsFailed: 0,
  invoicesDiffer: 0,
  notesDiffer: 0,
  walletsDiffer: 0,
  couponsDiffer: 0,
  impossible: 0,
  doneTwice: 0,
};

type State = {
  world: World | null;
  /** A round that was stopped is not gone on with: its clients are gone, and with them what they asked for. */
  roundsBegun: number;
  done: typeof NOTHING_DONE;
  broken: typeof NOTHING_BROKEN;
};
type Stage = {
  service: Service;
  past: PastService;
  records: Records;
  progress: ProgressKeeper<State>;
  options: CampaignOptions;
};

export async function runCreditRaces(options: CampaignOptions): Promise<Outcome> {
  const fresh: State = { world: null, roundsBegun: 0, done: { ...NOTHING_DONE }, broken: { ...NOTHING_BROKEN } };
  const progress = await openProgress<State>(options, fresh);
  const { dataFolder, isNaive } = options;
  const spoiled = isNaive ? { spoil: spoilLock } : {};
  try {
    return await withService(
      { dataFolder, connections: CONNECTIONS, workers: 1, isSilent: isNaive, ...spoiled },
      (service) => runOnService(service, progress, options),
    );
  } catch (error) {
    options.signal.throwIfAborted();
    throw error;
  }
}

async function runOnService(
  service: Service,
  progress: ProgressKeeper<State>,
  options: CampaignOptions,
): Promise<Outcome> {
  const { state, keep } = progress;
  const { count, signal, say } = options;
  const records = openVerifier(service.url);
  const past = await openPastService(service.url, WEEKS);
  const stage = { service, past, records, progress, options };
  say(`seed ${state.seed}, ${state.done.operations} operations done before`);
  try {
    await runOn(service.url, await readFile(join(import.meta.dirname, "journal.sql"), "utf8"));
    state.world ??= await makeWorld(service);
    while (state.done.operations < count) {
      signal.throwIfAborted();
      await runRound(stage, state.world);
      say(`${state.done.operations} of ${count} operations`);
    }
    const { broken, figures } = await checkCredits(records);
    const unclean = await countUnclean(service.url, say);
    await keep();
    return {
      seed: state.seed,
      seconds: state.seconds,
      broken: { ...state.broken, ...broken, unclean },
      figures: { clients: CLIENTS, rounds: state.roundsBegun, ...state.done, ...figures },
    };
  } finally {
    await past.close();
    await records.end();
  }
}

async function runRound({ service, past, records, progress, options }: Stage, world: World): Promise<void> {
  const { state, keep } = progress;
  const { count, signal, say } = options;
  const round = state.roundsBegun++;
  await keep();
  const customers = await makeCustomers(past, world, { round, records, signal });
  const fought = await fight({
    send: service.sendWith(world.key),
    now: () => service.platform.clock.now(),
    customers,
    count: Math.min(OPERATIONS_IN_ROUND, count - state.done.operations),
    seed: state.seed,
    round,
    signal,
    say,
  });
  await waitForExpiries(records, signal);
  const { failed, ...tally } = fought.tally;
  addTo(state.done, { operations: tally.accepted + tally.refused + tally.unavailable + failed, ...tally });
  addTo(state.broken, { operationsFailed: failed, ...(await compareRound(records, { customers, fought, say })) });
  await keep();
}

/** Every wallet that was given an end comes to it, and what follows from that is done. */
async function waitForExpiries(records: Records, signal: AbortSignal): Promise<void> {
  const EXPIRING = "select count(*) as expiring from wallets where status = 'active' and expiration_at is not null";
  for (;;) {
    const { expiring = 0 } = await countRow(records, EXPIRING);
    if (expiring === 0 && (await countOpenDues(records)) === 0) return;
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
}

type Fought = { customers: readonly Customer[]; fought: Fight; say: (line: string) => void };

async function compareRound(records: Records, { customers, fought, say }: Fought) {
  const ids = customers.map(({ id }) => id);
  const [journals, stored] = [await readJournal(records, ids), await readStored(records, ids)];
  const replays = customers.map((customer) => {
    const happened = replay(customer, journals.get(customer.id) ?? [], fought.requested);
    return { ...happened, differences: compare(happened, stored.get(customer.id) ?? []) };
  });
  const differences = replays.flatMap((one) => one.differences);
  const faults = replays.flatMap((one) => one.faults);
  const twice = fought.requested.once.length - new Set(fought.requested.once).size;
  for (const text of [...differences.map((one) => one.text), ...faults].slice(0, SAID_MAX)) say(text);
  const countOf = (expected: string) => differences.filter(({ kind }) => kind === expected).length;
  return {
    invoicesDiffer: countOf("invoice"),
    notesDiffer: countOf("note"),
    walletsDiffer: countOf("wallet"),
    couponsDiffer: countOf("coupon"),
    impossible: faults.length,
    doneTwice: twice,
  };
}

function addTo<Name extends string>(sums: Record<Name, number>, added: Partial<Record<Name, number>>): void {
  for (const name of Object.keys(added) as Name[]) sums[name] += added[name] ?? 0;
}
