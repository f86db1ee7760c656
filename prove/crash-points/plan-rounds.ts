/** Which deaths a campaign tries: every named effect before and after its first time, and once more at a later one. */
import { createRandomFor } from "../random.ts";
import type { CrashPoint, EffectTimes } from "./crash-point.ts";
import { STAGES, type Stage } from "./effects.ts";

/** An effect by its name, and when it was in an undisturbed run: in which step, and the how-manieth of it there. */
export type NamedPoint = { name: string; times: readonly { step: number; occurrence: number }[] };

export type PlannedRound = { step: number; crashAt: CrashPoint };

/** `steps`: what each had. */
export function pointsOf(
  steps: readonly EffectTimes[],
  isRequested: (stage: Stage, step: number) => boolean,
): NamedPoint[] {
  const points = new Map<string, { step: number; occurrence: number }[]>();
  for (const [step, effects] of steps.entries())
    for (const [name, occurrences] of Object.entries(effects)) {
      if (!isRequested(stageOfPoint(name), step)) continue;
      const times = points.get(name) ?? [];
      points.set(name, [...times, ...occurrences.map((occurrence) => ({ step, occurrence }))]);
    }
  return Array.from(points, ([name, times]) => ({ name, times }));
}

export const stageOfPoint = (name: string): Stage => STAGES.find((stage) => name.startsWith(`${stage}: `)) ?? "jobs";

/** So many of them, chosen by the seed, of every stage at least one; all, if there are no more. */
export function choosePoints(points: readonly NamedPoint[], count: number, seed: number): NamedPoint[] {
  if (count >= points.length) return [...points];
  const random = createRandomFor(seed, 0);
  const shuffled = points
    .map((point) => ({ point, key: random() }))
    .sort((one, other) => one.key - other.key)
    .map(({ point }) => point);
  const firsts = STAGES.flatMap((stage) => shuffled.find(({ name }) => stageOfPoint(name) === stage) ?? []);
  const rest = shuffled.filter((point) => !firsts.includes(point));
  const chosen = new Set([...firsts, ...rest].slice(0, count));
  return points.filter((point) => chosen.has(point));
}

/** Of every point `most`, chosen by the seed. One of each before there is a second of any: who stops early has tried them all. */
export function planRounds(points: readonly NamedPoint[], seed: number, most: number): PlannedRound[] {
  const rounds = points.map((point) => roundsOf(point, seed, most));
  const longest = Math.max(0, ...rounds.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => rounds.flatMap((some) => some[turn] ?? [])).flat();
}

function roundsOf({ name, times }: NamedPoint, seed: number, most: number): PlannedRound[] {
  const random = createRandomFor(seed, hashOf(name));
  const [first, ...later] = times;
  const another = later[Math.floor(random() * later.length)];
  const anotherSide = random() < 0.5 ? "before" : "after";
  const deaths = [
    { time: first, side: "after" },
    { time: first, side: "before" },
    { time: another, side: anotherSide },
  ] as const;
  const rounds = deaths.flatMap(({ time, side }) =>
    time ? [{ step: time.step, crashAt: { name, occurrence: time.occurrence, side } }] : [],
  );
  if (most >= rounds.length) return rounds;
  const from = Math.floor(random() * rounds.length);
  return [...rounds, ...rounds].slice(from, from + most);
}

const hashOf = (text: string): number =>
  Array.from(text).reduce((hash, letter) => (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) | 0, 7);
