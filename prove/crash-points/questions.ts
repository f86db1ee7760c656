/** What the campaign asks of a process of the service, and what that answers. */
import type { CrashPoint, EffectTimes } from "./crash-point.ts";

export type Task = {
  url: string;
  /** Null: usage is read from Postgres. */
  clickhouseUrl: string | null;
  /** What its clock shows until it is told otherwise. */
  now: string;
  crashAt?: CrashPoint | undefined;
  isNaive: boolean;
};

export type Questions = {
  /** Be the service on this database, which nothing is known of; whatever it was before is over. */
  start: Task;
  /** Take requests. */
  serve: Record<never, never>;
  /** The clock shows this from now on. */
  moveTo: { now: string };
  /** Do what workers do, one after the other, until nothing is left. */
  drain: Record<never, never>;
  /** What effects there were since the start. */
  count: Record<never, never>;
  /** Let go of the database. */
  stop: Record<never, never>;
};

export type Answers = {
  start: Record<never, never>;
  serve: { address: string };
  moveTo: Record<never, never>;
  drain: Record<never, never>;
  count: { times: EffectTimes };
  stop: Record<never, never>;
};

export type Question = keyof Questions;
export type Requested<Name extends Question = Question> = { number: number; name: Name; given: Questions[Name] };
export type Answered = { number: number; answer?: unknown; error?: string };

export const READY = "ready";
