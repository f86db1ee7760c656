/** The public HTTP API as one organization uses it. Requests and answers are recorded for the search of a fault. */
import { carryOnClocks } from "../../../packages/server/src/testing/carry-on-clocks.ts";
import { makeTestOrganization, type TestService } from "../../../packages/server/src/testing/start-tallystick.ts";
import { messagesTo } from "./messages.ts";

type Method = "GET" | "POST" | "PUT" | "DELETE";

/** An unexpected answer. */
export class Refused extends Error {
  readonly code: string;
  constructor(what: string, answer: { code?: string; error_details?: object }) {
    super(`${what} was refused: ${JSON.stringify(answer)}`);
    this.code = answer.code ?? "";
  }
}

export type Api = {
  /** Returns the body of the answer, which must be a success. */
  ask: <Body>(method: Method, path: string, body?: object) => Promise<Body>;
  /** Does the background work of the requests so far, like a worker. */
  settle: () => Promise<void>;
  /** Finishes test clock advances whose callers stopped waiting, in place of a worker. */
  carryOnClocks: () => Promise<void>;
  /** The bodies of all messages of a type so far, oldest first. */
  published: <Body>(type: string) => Promise<Body[]>;
  timeline: () => string;
};

const SHOWN = 1_000;

let last: Promise<unknown> = Promise.resolve();

/** One story after the other, because work that another story has claimed cannot be found and may not be done yet. */
function inTurn(drain: () => Promise<void>): Promise<void> {
  const mine = last.then(drain);
  last = mine.catch(() => undefined);
  return mine;
}

export async function openApi({ platform, call, drain }: TestService, name: string): Promise<Api> {
  const { id, key } = await makeTestOrganization(platform, name);
  const lines: string[] = [];
  const record = (mark: string, body: unknown) => {
    if (body !== undefined) lines.push(`    ${mark} ${JSON.stringify(body).slice(0, SHOWN)}`);
  };
  return {
    ask: async (method, path, body) => {
      lines.push(`${lines.length === 0 ? "" : "\n"}${method} ${path}`);
      record("→", body);
      const answer = await call(method, path, body, { key });
      record(`← ${answer.status}`, answer.body);
      if (answer.status !== 200) throw new Refused(`${method} ${path}`, answer.body);
      return answer.body;
    },
    settle: () => inTurn(drain),
    carryOnClocks: () => carryOnClocks(platform),
    published: async (type) => {
      await inTurn(drain);
      return messagesTo(id, type);
    },
    timeline: () => lines.join("\n"),
  };
}
