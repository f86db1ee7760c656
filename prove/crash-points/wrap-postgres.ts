/** Every statement of this process passes here: those that write, and the commits of what they wrote, are crash points. */
import pg from "pg";
import { type CrashPoints, currentStage } from "./crash-point.ts";
import { effectOf, stageOf } from "./effects.ts";

type Query = (this: object, ...given: unknown[]) => unknown;
type Callback = (error: unknown, result: unknown) => void;

/** What the open transaction of a connection has written to. */
const written = new WeakMap<object, Set<string>>();

export function wrapPostgres(points: CrashPoints): void {
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const query = prototype.query;
  prototype.query = function (...given) {
    const point = pointOf(this, textOf(given[0]));
    if (point === undefined) return query.apply(this, given);
    const left = points.enter(point.name);
    const leave = (result: unknown): void => {
      const hasChanged = changesRows(result);
      if (hasChanged) for (const table of point.tables) written.get(this)?.add(table);
      left(hasChanged);
    };
    const last = given.at(-1);
    if (typeof last !== "function")
      return (query.apply(this, given) as Promise<unknown>).then((result) => {
        leave(result);
        return result;
      });
    const callback = last as Callback;
    return query.apply(this, [
      ...given.slice(0, -1),
      (error: unknown, result: unknown) => {
        if (!error) leave(result);
        callback(error, result);
      },
    ]);
  };
}

const textOf = (requested: unknown): string =>
  typeof requested === "string" ? requested : ((requested as { text?: string } | undefined)?.text ?? "");

const CHANGING = ["INSERT", "UPDATE", "DELETE"];

/** A statement that found no row changed nothing. Of a call this is unknown. */
function changesRows(result: unknown): boolean {
  const { command = "", rowCount } = result as { command?: string; rowCount?: number | null };
  return !CHANGING.includes(command) || rowCount !== 0;
}

type Point = { name: string; tables: readonly string[] };

/** Undefined: nothing that lasts. A commit of nothing is none. */
function pointOf(client: object, text: string): Point | undefined {
  const stage = currentStage();
  const word = /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase();
  if (word === "begin" || word === "start") {
    written.set(client, new Set());
    return undefined;
  }
  if (word === "rollback" && !/\bto\b/i.test(text)) {
    written.delete(client);
    return undefined;
  }
  if (word === "commit") {
    const tables = [...(written.get(client) ?? [])].sort();
    written.delete(client);
    return stage === undefined || tables.length === 0
      ? undefined
      : { name: `${stage}: commit of ${tables.join(", ")}`, tables: [] };
  }
  const effect = effectOf(text);
  if (stage === undefined || !effect) return undefined;
  return { name: `${stageOf(stage, effect)}: ${effect.verb} ${effect.on}`, tables: effect.on.split(" and ") };
}
