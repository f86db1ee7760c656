/** One life, step by step; and a shorter one that fails alike. */
import { isDeepStrictEqual } from "node:util";
import { createRandomFor } from "../random.ts";
import { checkAccount } from "./account.ts";
import { begin } from "./begin.ts";
import { drawSetting, type Setting } from "./catalogue.ts";
import { checkDocuments } from "./checks.ts";
import { Broken, demand } from "./demand.ts";
import { type Dice, diceOf, diceOfSeed } from "./dice.ts";
import { type Documents, NO_DOCUMENTS } from "./documents.ts";
import { checkModel } from "./prediction.ts";
import { readDocuments } from "./read-documents.ts";
import type { Stage } from "./session.ts";
import { drawSteps, STEPS, type Step } from "./steps.ts";
import { noteTerms } from "./terms.ts";
import { tamperWith } from "./watch.ts";
import type { World } from "./world.ts";

export type LifeCase = { readonly seed: number; readonly number: number; readonly steps: readonly Step[] };

export type Failure = {
  readonly what: string;
  readonly about: string;
  readonly transcript: readonly string[];
  readonly steps: readonly Step[];
};

export type Lived = { readonly organizationId: string; readonly failure: Failure | undefined };

/** Members that show another document as it is now. */
const ELSEWHERE = new Set(["customer", "subscriptions", "invoice", "fee"]);

const diceFor = (seed: number, number: number): Dice => diceOf(createRandomFor(seed, number));
const diceForSetting = (seed: number, number: number): Dice => diceFor(seed ^ 0x5bd1e995, number);

/** The n-th life of a seed. */
export function drawLife(seed: number, number: number): LifeCase {
  const dice = diceFor(seed, number);
  // What the organization sells is drawn from a series of its own, so that it stays when steps are left out.
  return { seed, number, steps: drawSteps(dice) };
}

/** What the organization of that life sells. */
export const drawSettingOf = (seed: number, number: number): Setting => drawSetting(diceForSetting(seed, number));

export async function live(stage: Stage, life: LifeCase): Promise<Lived> {
  const world = await begin(stage, `life ${life.number}`, diceForSetting(life.seed, life.number));
  const { organizationId, transcript } = world.session;
  const { setting } = world;
  const about = `zone ${setting.zone}, grace ${setting.graceDays} days, tax ${setting.taxRate} %`;
  try {
    for (const [index, step] of life.steps.entries()) {
      world.step = index + 1;
      transcript.push(`-- step ${world.step}: ${step.kind}`);
      await takeStep(world, step);
    }
    await checkFresh(world);
    await checkAccount(world);
    await tamperWith(world);
    return { organizationId, failure: undefined };
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    const failure = { what: error.what, about: error.message, transcript: [about, ...transcript], steps: life.steps };
    return { organizationId, failure };
  }
}

async function takeStep(world: World, { kind, seed }: Step): Promise<void> {
  const step = STEPS.get(kind);
  if (!step) throw new Error(`There is no step ${kind}.`);
  world.session.stage.note(`step ${kind}`);
  const requested = world.session.transcript.length;
  await step.take(world, diceOfSeed(seed));
  // There was nothing to do it to.
  if (world.session.transcript.length === requested) return;
  const [before, marked] = [world.documents, world.marks];
  world.marks = await world.session.settle();
  world.shown = await readDocuments(world.session, world.shown, (list) => marked?.[list] !== world.marks?.[list]);
  world.documents = world.shown;
  for (const { svc_id, status } of world.documents.invoices)
    if (status !== "draft" && !world.finalizedAt.has(svc_id)) world.finalizedAt.set(svc_id, world.step);
  noteTerms(world);
  await checkModel(world);
  checkDocuments(world, before);
}

/** What was read along the way is what a reader finds who has seen nothing of it. */
async function checkFresh({ session, shown }: World): Promise<void> {
  const fresh = await readDocuments(session, NO_DOCUMENTS, () => true);
  for (const list of Object.keys(fresh) as (keyof Documents)[])
    demand("staleDocuments", isDeepStrictEqual(bare(shown[list]), bare(fresh[list])), () => ({
      list,
      believed: bare(shown[list]),
      found: bare(fresh[list]),
    }));
}

/** As the checks look at it: what stands in another document counts by its id alone. */
const bare = (items: readonly object[]): unknown =>
  JSON.parse(
    JSON.stringify(items, (name, value) => (ELSEWHERE.has(name) && value !== null ? (value.svc_id ?? null) : value)),
  );

/** Leaves out steps as long as what is left fails alike, within the time given. */
export async function shrink(stage: Stage, life: LifeCase, failure: Failure, until: number): Promise<Failure> {
  let shortest = failure;
  const { service, pool, readMarks } = stage;
  const quiet: Stage = { service, pool, readMarks, note: () => undefined };
  let isShorter = true;
  while (isShorter) {
    isShorter = false;
    for (let size = Math.max(1, shortest.steps.length >> 1); size >= 1; size >>= 1) {
      for (let at = shortest.steps.length - size; at >= 0; at -= size) {
        if (performance.now() > until) return shortest;
        const steps = shortest.steps.toSpliced(at, size);
        const { failure: found } = await live(quiet, { ...life, steps });
        if (found?.what !== failure.what) continue;
        shortest = found;
        isShorter = true;
      }
    }
  }
  return shortest;
}
