/**
 * Statements that are used again and again keep their plans on each connection. With the policies of every table, to plan a small
 * statement takes Postgres longer than to run it.
 */
import type { PoolClient, QueryConfig, QueryResult } from "pg";

/** A statement is kept from this use on: texts that grow with a list are many, and most of them are used once. */
const USES_MIN = 5;
/** Each takes some memory on every connection, for as long as it lives. */
const KEPT_MAX = 300;
const CANDIDATES_MAX = 2000;
const TEXT_LENGTH_MAX = 4000;

type RunPrepared = (client: PoolClient, text: string, values: unknown[]) => Promise<QueryResult>;

/** For the connections of one pool: runs a statement by its kept plan, if it has one. */
export function keepPlans(): RunPrepared {
  const uses = new Map<string, number>();
  const names = new Map<string, string>();
  let generation = 0;

  const nameOf = (text: string): string | undefined => {
    const known = names.get(text);
    if (known !== undefined || names.size >= KEPT_MAX) return known;
    const used = (uses.get(text) ?? 0) + 1;
    if (used < USES_MIN) {
      if (uses.size >= CANDIDATES_MAX) uses.clear();
      uses.set(text, used);
      return undefined;
    }
    uses.delete(text);
    const name = `kept_${generation}_${names.size}`;
    names.set(text, name);
    return name;
  };

  /** Under new names all of them are planned again, on every connection. */
  const forgetPlans = (): void => {
    generation++;
    names.clear();
  };

  return async (client, text, values) => {
    const name = values.length === 0 || text.length > TEXT_LENGTH_MAX ? undefined : nameOf(text);
    try {
      return await client.query((name === undefined ? { text, values } : { name, text, values }) satisfies QueryConfig);
    } catch (error) {
      if (isOutdated(error)) forgetPlans();
      throw error;
    }
  };
}

/** A migration has changed the columns of a table since the plan was made. Whoever tries again finds a new one. */
export function isOutdated(error: unknown): boolean {
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  return code === "0A000" && routine === "RevalidateCachedQuery";
}
