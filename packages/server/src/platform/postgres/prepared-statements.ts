/**
 * Statements that are used repeatedly keep their plans on each connection. With the policies of every table, planning a small statement
 * takes Postgres longer than running it.
 */
import type { PoolClient, QueryConfig, QueryResult } from "pg";

/** A statement is prepared from this use on. Texts that grow with a list are many, and most are used once. */
const USES_MIN = 5;
/** Each takes memory on every connection for as long as the connection lives. */
const KEPT_MAX = 300;
const CANDIDATES_MAX = 2000;
const TEXT_LENGTH_MAX = 4000;

export type RunStatement = (client: PoolClient, text: string, values: unknown[]) => Promise<QueryResult>;

/** For the connections of one pool: runs a statement with its prepared plan, if it has one. */
export function keepPlans(): RunStatement {
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

  /** New names make every connection plan all statements again. */
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

/** A migration has changed the columns of a table since the plan was made. A retry gets a new plan. */
export function isOutdated(error: unknown): boolean {
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  return code === "0A000" && routine === "RevalidateCachedQuery";
}
