/** Whole lives of customers, drawn at random: after every step and at the end the sums over all documents are right. */
import pg from "pg";
import type { Clock } from "../../packages/server/src/platform/clock.ts";
import { verify } from "../../packages/server/src/verify/index.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import { runInParts } from "../in-parts.ts";
import { openProgress } from "../progress.ts";
import { sealActivities, withService } from "../served-api.ts";
import { drawLife, type Failure, type LifeCase, live, shrink } from "./live.ts";
import { marksOf } from "./marks.ts";
import type { Stage } from "./session.ts";
import { findWrongFees } from "./stored-fees.ts";
import { isOver, newWatch, unnoticed, type Watch } from "./watched.ts";

const LIVES_IN_PART = 250;
const LANES = 4;
const VERIFY_EVERY = 50;
const SAY_EVERY = 10;
const SHRINK_MS = 60_000;
/** So many failures are reported with their lives; all are counted. */
const REPORTED_MAX = 12;

export type LivesOptions = CampaignOptions & {
  shrinkMs?: number;
  /** The harness is put to the test along the way: what it distinguished is counted among the figures. */
  isWatched?: boolean;
  /** Another time of day for the service: nothing in a life depends on it. */
  clock?: Clock;
};

type Counts = Record<string, number>;
type State = { done: number; broken: Counts; figures: Counts };

export const lives: Campaign = {
  summary:
    "whole lives of customers, plans to payments, in random order: after every step and in the end the sums are right",
  counts: "lives",
  countByDefault: 5000,
  run: runLives,
};

export function runLives(options: LivesOptions): Promise<Outcome> {
  const parts = options.life === undefined ? Math.ceil(options.count / LIVES_IN_PART) : 1;
  const part = (index: number) => (own: CampaignOptions) =>
    runPart({ ...options, ...own, count: Math.min(LIVES_IN_PART, options.count - index * LIVES_IN_PART) });
  return runInParts(
    options,
    Array.from({ length: parts }, (_, index) => part(index)),
  );
}

async function runPart(options: LivesOptions): Promise<Outcome> {
  const progress = await openProgress<State>(
    { ...options, dataFolder: undefined },
    { done: 0, broken: {}, figures: {} },
  );
  const clock = options.clock ? { clock: options.clock } : {};
  return withService({ connections: 12, isSilent: true, ...clock }, async (service) => {
    const { state, keep } = progress;
    const pool = new pg.Pool({ connectionString: service.url, max: LANES, options: "-c timezone=UTC" });
    pool.on("error", () => undefined);
    try {
      const stage = {
        service,
        pool,
        readMarks: await marksOf(pool),
        note: (figure: string) => add(state.figures, figure),
      };
      const part = new Part(stage, state, options);
      await part.run();
      await keep();
      return { seed: state.seed, seconds: state.seconds, broken: state.broken, figures: state.figures };
    } finally {
      await pool.end();
    }
  });
}

class Part {
  private readonly stage: Stage;
  private readonly watch: Watch;
  private readonly state: State & { seed: number };
  private readonly options: LivesOptions;
  private readonly lifeOf = new Map<string, LifeCase>();
  private readonly unclean = new Set<string>();

  constructor(stage: Stage, state: State & { seed: number }, options: LivesOptions) {
    this.state = state;
    this.options = options;
    const counts = options.isNaive ? state.broken : state.figures;
    this.watch = newWatch((what) => add(counts, what));
    this.stage = options.isNaive || options.isWatched ? { ...stage, watch: this.watch } : stage;
    Object.assign(state.broken, { unclean: 0 });
  }

  async run(): Promise<void> {
    const { count, life, signal, say } = this.options;
    say(`seed ${this.state.seed}`);
    const numbers = life === undefined ? Array.from({ length: count }, (_, number) => number + 1) : [life];
    for (let from = 0; from < numbers.length; from += VERIFY_EVERY) {
      await this.liveAll(numbers.slice(from, from + VERIFY_EVERY));
      signal.throwIfAborted();
      await this.verify();
    }
    if (this.stage.watch) await this.watchOn(numbers.length);
  }

  /** What was not distinguished yet shows in a few lives more, or the harness is blind. */
  private async watchOn(lived: number): Promise<void> {
    const { count } = this.options;
    for (let number = lived + 1; number <= lived + 2 * count && !isOver(this.watch); number += LANES)
      await this.liveAll(Array.from({ length: LANES }, (_, index) => number + index));
    if (!isOver(this.watch))
      throw new Error(`${3 * count} lives did not tell apart: ${unnoticed(this.watch).join("; ")}`);
  }

  /** Several at a time, each from its own beginning. */
  private async liveAll(numbers: readonly number[]): Promise<void> {
    const waiting = [...numbers];
    const lane = async (): Promise<void> => {
      for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
        this.options.signal.throwIfAborted();
        if (this.options.isNaive && isOver(this.watch)) return;
        await this.liveOne(drawLife(this.state.seed, number));
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  private async liveOne(life: LifeCase): Promise<void> {
    const { organizationId, failure } = await live(this.stage, life);
    this.lifeOf.set(organizationId, life);
    add(this.state.figures, "lives");
    const { lives: lived = 0 } = this.state.figures;
    if (lived % SAY_EVERY === 0) this.options.say(`${lived} lives`);
    if (!failure) return;
    add(this.state.broken, failure.what);
    if ((this.state.broken[failure.what] ?? 0) > 1 || Object.keys(this.state.broken).length > REPORTED_MAX) {
      this.options.say(`${name(life)}: ${failure.about.slice(0, 300)}`);
      return;
    }
    const { shrinkMs = SHRINK_MS } = this.options;
    this.tell(life, await shrink(this.stage, life, failure, performance.now() + shrinkMs));
  }

  private tell(life: LifeCase, { about, transcript, steps }: Failure): void {
    const kinds = steps.map(({ kind }) => kind).join(", ");
    this.options.say(shortened([...transcript, `steps: ${kinds}`, `${name(life)}: ${about}`].join("\n")));
  }

  private async verify(): Promise<void> {
    const { url, platform } = this.stage.service;
    await sealActivities(platform);
    for (const { organizationId, what, about } of await findWrongFees(this.stage.pool)) {
      const life = this.lifeOf.get(organizationId);
      if (!this.unclean.has(what)) this.options.say(`${what}: ${life ? name(life) : ""} ${about}`);
      if (!this.unclean.has(what)) add(this.state.broken, what);
      this.unclean.add(what);
    }
    const now = this.options.clock?.now();
    for (const { name: invariant, broken, rows } of await verify(url, now ? { now } : {})) {
      if (broken === 0) continue;
      const [row] = rows as { organization_id?: string }[];
      const life = this.lifeOf.get(row?.organization_id ?? "");
      if (!this.unclean.has(invariant))
        this.options.say(`verify, ${invariant}: ${broken}; ${life ? name(life) : ""} ${JSON.stringify(row)}`);
      if (!this.unclean.has(invariant)) add(this.state.broken, "unclean");
      this.unclean.add(invariant);
    }
  }
}

const name = ({ seed, number }: LifeCase): string => `seed ${seed}, life ${number}`;

function add(counts: Counts, figure: string): void {
  counts[figure] = (counts[figure] ?? 0) + 1;
}

/** Ids as small numbers, in the order in which they are named. */
function shortened(text: string): string {
  const numbers = new Map<string, number>();
  return text.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
    if (!numbers.has(id)) numbers.set(id, numbers.size + 1);
    return `#${numbers.get(id)}`;
  });
}
