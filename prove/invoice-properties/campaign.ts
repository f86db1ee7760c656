/** Random plans, events, changes of plan and steps of a clock: what was foretold of an invoice is what is on it, and its parts add up. */
import { billFeeFrom } from "@tallystick/core/invoicing";
import fc from "fast-check";
import { composeApi } from "../../packages/server/src/main/compose.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import { type Counts, checkInvoices, openVerifier } from "../invoice-checks.ts";
import { openProgress, type ProgressKeeper } from "../progress.ts";
import { createRandomFor } from "../random.ts";
import { makeCatalog, metricCode, planSchemaIn } from "../random-plans/catalogue.ts";
import type { Catalog } from "../random-plans/plan-cases.ts";
import { countUnclean, patient, type Service, withService } from "../served-api.ts";
import { type LifeCase, lifeCase } from "./cases.ts";
import { live, type Stage } from "./life.ts";

const LANES = 4;
const SAY_EVERY_LIVES = 40;
/** So many differences are told; all are counted. */
const REPORTED_MAX = 5;

export const invoiceProperties: Campaign = {
  summary: "random plans, events and moves: usage and preview at a period's end are its invoice, whose parts add up",
  counts: "lives",
  countByDefault: 2000,
  run: runInvoiceProperties,
};

type World = { key: string; catalog: Catalog };
type State = {
  world: World | null;
  done: number /** Runs that this campaign was made of. */;
  runs: number;
  broken: Counts;
  figures: Counts;
};
type Progress = ProgressKeeper<State>;

export async function runInvoiceProperties(options: CampaignOptions): Promise<Outcome> {
  const broken = { usageDiffers: 0, previewDiffers: 0, partsDiffer: 0, statusesDiffer: 0, requestsFailed: 0 };
  const progress = await openProgress<State>(options, { world: null, done: 0, runs: 0, broken, figures: {} });
  try {
    return await withService({ dataFolder: options.dataFolder, workers: 1 }, (service) =>
      runOnService(service, progress, options),
    );
  } catch (error) {
    options.signal.throwIfAborted();
    throw error;
  }
}

async function runOnService(service: Service, { state, keep }: Progress, options: CampaignOptions): Promise<Outcome> {
  const { say, isNaive } = options;
  const world = state.world ?? (await makeWorld(service));
  state.world = world;
  state.runs += 1;
  await keep();
  say(`seed ${state.seed}, ${state.done} lives done before`);
  await tryLives(service, world, { state, keep }, options);
  const { broken, figures } = await checkInvoices(service.url);
  const derived = await countUnderived(service.url);
  await keep();
  return {
    seed: state.seed,
    seconds: state.seconds,
    broken: {
      ...broken,
      ...state.broken,
      feesUnderived: derived.underived,
      unclean: isNaive ? 0 : await countUnclean(service.url, say),
    },
    figures: { lives: state.done, ...state.figures, numbered: figures.numbered ?? 0, fees: derived.fees },
  };
}

/** In one organization, whose taxes and metrics all plans share. */
async function makeWorld(service: Service): Promise<World> {
  const { key } = await makeOrganization(service.platform, { name: "Lives", isSandbox: true, keyName: "campaign" });
  const app = await composeApi(service.platform);
  try {
    const schema = planSchemaIn((await app.inject({ url: "/openapi.json" })).json());
    const catalog = await makeCatalog(patient(service.sendWith(key)), schema);
    return { key, catalog };
  } finally {
    await app.close();
  }
}

async function tryLives(service: Service, world: World, { state, keep }: Progress, options: CampaignOptions) {
  const { count, signal, say, isNaive } = options;
  const add = (counts: Counts, name: string): void => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  const onBroken = (what: string, about: readonly string[]): void => {
    if ((state.broken[what] ?? 0) < REPORTED_MAX) say(`${what}\n${about.join("\n")}`);
    add(state.broken, what);
  };
  const metrics = world.catalog.metrics.map(({ id, isRecurring, aggregationType }, index) => ({
    id,
    code: metricCode(index),
    // Of unique things only what was added is counted, not what was taken away.
    isPlain: !isRecurring && aggregationType !== "unique_count_agg",
  }));
  const note = (figure: string): void => add(state.figures, figure);
  const stage: Stage = { call: service.callWith(world.key), metrics, signal, isNaive, onBroken, note };
  while (state.done < count) {
    signal.throwIfAborted();
    const numbers = Array.from({ length: Math.min(LANES, count - state.done) }, (_, lane) => state.done + lane);
    await Promise.all(
      numbers.map(async (number) => {
        const given = lifeOf(world.catalog, state.seed, number);
        // One that was stopped in the middle is lived again, by somebody else.
        await live(stage, `life ${number} of run ${state.runs}`, given).catch((error: unknown) => {
          signal.throwIfAborted();
          onBroken("requestsFailed", [`life ${number}: ${error}`]);
        });
      }),
    );
    state.done += numbers.length;
    await keep();
    if (state.done % SAY_EVERY_LIVES < LANES) say(`${state.done} of ${count} lives`);
  }
}

/** The n-th life of a seed. Seeds that are close to each other begin alike: they are scattered first. */
function lifeOf(catalog: Catalog, seed: number, number: number): LifeCase {
  const [life] = fc.sample(lifeCase(catalog), {
    numRuns: 1,
    seed: Math.floor(createRandomFor(seed, number)() * 2 ** 31),
  });
  if (!life) throw new Error("a sample has one");
  return life;
}

/** Every fee comes again from its stored derivation. */
async function countUnderived(url: string): Promise<{ fees: number; underived: number }> {
  const records = openVerifier(url);
  try {
    const { rows } = await records.query<{ amount_cents: bigint; derivation: string }>(
      "select amount_cents, derivation::text as derivation from fees where fee_type <> 'add_on'",
    );
    const isDerived = ({ amount_cents, derivation }: (typeof rows)[number]): boolean =>
      billFeeFrom(JSON.parse(derivation)) === amount_cents;
    return { fees: rows.length, underived: rows.filter((row) => !isDerived(row)).length };
  } finally {
    await records.end();
  }
}
