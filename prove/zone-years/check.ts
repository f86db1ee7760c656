/** Compares everything that is stored and shown of the lives with what it must be. */
import { createPool } from "../../packages/server/src/platform/postgres/pool.ts";
import type { Call } from "../served-api.ts";
import { expectRows, type Rows } from "./expected.ts";
import type { Population } from "./lives.ts";
import { linesOf, type Records, readShown, readStored, type Stored } from "./stored.ts";
import type { World } from "./world.ts";

/** An advance of the clock, and the real time in which it happened. */
export type Step = { from: string; to: string; begun: string; ended: string };

export type Findings = { broken: Record<string, number>; figures: Record<string, number> };

export type CheckOptions = Population & {
  url: string;
  world: World;
  call: Call;
  seed: number;
  until: Temporal.Instant;
  steps: readonly Step[];
  say: (line: string) => void;
};

const NOTHING = { periods: 0, bills: 0, invoices: 0, dueRows: 0, messages: 0, shown: 0 };
const KINDS = Object.keys(NOTHING) as (keyof Rows)[];

/** So many faults of each kind are told; all are counted. */
const REPORTED_MAX = 5;

export async function check(options: CheckOptions): Promise<Findings> {
  const { url, world, call, zones, steps } = options;
  const records = createPool({ url, role: "verifier", connectionsMax: 1, statementTimeoutMs: 300_000 });
  try {
    const counter = createCounter(options.say);
    const shown = await readShown(call);
    for (const [number, timeZone] of zones.entries()) {
      const stored = await readStored(records, world, timeZone);
      for (const { owner, line } of shown.get(timeZone) ?? []) linesOf(stored, owner).shown.push(line);
      compareZone(counter, stored, { ...options, timeZone, number });
    }
    counter.count("dueRowsOutOfOrder", await countOutOfOrder(records, world));
    for (const step of steps) counter.count("dueRowsInAnotherStep", await countInAnotherStep(records, world, step));
    return { broken: counter.broken, figures: counter.figures };
  } finally {
    await records.end();
  }
}

type Counter = Findings & { count: (what: string, times: number, about?: string) => void };

function createCounter(say: (line: string) => void): Counter {
  const broken: Record<string, number> = {
    oracleDisagrees: 0,
    subscriptionsUnknown: 0,
    dueRowsOutOfOrder: 0,
    dueRowsInAnotherStep: 0,
  };
  for (const kind of KINDS) Object.assign(broken, { [`${kind}Missing`]: 0, [`${kind}TooMuch`]: 0 });
  const count = (what: string, times: number, about = ""): void => {
    const before = broken[what] ?? 0;
    broken[what] = before + times;
    if (times > 0 && before < REPORTED_MAX) say(`${what}: ${times} ${about}`);
  };
  return { broken, figures: { zones: 0, subscriptions: 0, ...NOTHING }, count };
}

type Zone = Pick<CheckOptions, "livesIn" | "seed" | "until"> & { timeZone: string; number: number };

function compareZone(
  { figures, count }: Counter,
  stored: Stored,
  { timeZone, livesIn, seed, number, until }: Zone,
): void {
  const add = (figure: string, amount: number): void => {
    figures[figure] = (figures[figure] ?? 0) + amount;
  };
  add("zones", 1);
  const unknown = new Set(stored.keys());
  for (const life of livesIn(timeZone, seed, number)) {
    const owner = life.externalId;
    const { rows, oracleFaults } = expectRows(life, until);
    for (const fault of oracleFaults) count("oracleDisagrees", 1, `${owner}: ${fault}`);
    add("subscriptions", unknown.delete(owner) ? 1 : 0);
    for (const kind of KINDS) {
      const found = linesOf(stored, owner)[kind];
      add(kind, found.length);
      const { missing, tooMuch } = difference(rows[kind], found);
      for (const line of missing) count(`${kind}Missing`, 1, `${owner}: ${line}`);
      for (const line of tooMuch) count(`${kind}TooMuch`, 1, `${owner}: ${line}`);
    }
  }
  for (const owner of unknown) count("subscriptionsUnknown", 1, owner);
}

/** A line that is there twice is once too much. */
function difference(expected: readonly string[], found: readonly string[]): { missing: string[]; tooMuch: string[] } {
  const left = new Map<string, number>();
  for (const line of found) left.set(line, (left.get(line) ?? 0) + 1);
  const missing: string[] = [];
  for (const line of expected) {
    const times = left.get(line) ?? 0;
    if (times === 0) missing.push(line);
    else left.set(line, times - 1);
  }
  return { missing, tooMuch: [...left].flatMap(([line, times]) => Array<string>(times).fill(line)) };
}

/** Rows of a customer that were done before one with an earlier instant, or with an earlier rank at the same instant. */
const countOutOfOrder = (records: Records, { organizationId }: World): Promise<number> =>
  countRows(
    records,
    `select count(*)::integer as count from (
       select done_at, max(done_at) over (
         partition by customer_id order by due_at, rank groups between unbounded preceding and 1 preceding
       ) as done_before
       from due_instants where organization_id = $1 and done_at is not null
     ) as rows where done_at < done_before`,
    [organizationId],
  );

/** Each row is done while the clock passes its instant: not in an advance that ends before it, nor in one that begins at it or later. */
const countInAnotherStep = (records: Records, { organizationId }: World, step: Step): Promise<number> =>
  countRows(
    records,
    `select count(*)::integer as count from due_instants
     where organization_id = $1 and due_at > $2 and due_at <= $3 and (done_at is null or done_at < $4 or done_at > $5)`,
    [organizationId, step.from, step.to, step.begun, step.ended],
  );

async function countRows(records: Records, statement: string, values: unknown[]): Promise<number> {
  const { rows } = await records.query<{ count: number }>(statement, values);
  return rows[0]?.count ?? 0;
}
