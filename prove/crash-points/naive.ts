/** Wrong on purpose: what is due is marked as done and committed, and then it is done. Without a crash it makes no difference. */
import pg from "pg";

type Query = (this: object, ...given: unknown[]) => unknown;

const FINISHED = /^update "due_instants" set "done_at"/;
const ACTING = /^select set_config\('role'/;

export function commitTooEarly(isNaive: () => boolean): void {
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const query = prototype.query;
  /** For whom the transaction of a worker acts: the next one has to set it again. */
  const acting = new WeakMap<object, unknown[]>();
  const commitAfter = async (client: object, given: unknown[], text: string): Promise<unknown> => {
    const answer = await query.apply(client, given);
    if (/^begin\b/.test(text)) acting.delete(client);
    if (ACTING.test(text)) acting.set(client, given);
    const published = acting.get(client);
    if (!FINISHED.test(text) || !published) return answer;
    await query.call(client, "commit");
    await query.call(client, "begin");
    await query.apply(client, published);
    return answer;
  };
  prototype.query = function (...given) {
    const { text } = (given[0] ?? {}) as { text?: string };
    return isNaive() && text !== undefined ? commitAfter(this, given, text) : query.apply(this, given);
  };
}
