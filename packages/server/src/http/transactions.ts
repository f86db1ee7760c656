/** A request is one transaction for the caller's organization. A POST with an Idempotency-Key has one effect and one response. */
import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { sql } from "kysely";
import type { Clock } from "../platform/clock.ts";
import { parseExactJson, toExactJson } from "../platform/json-text.ts";
import { type Database, inOrganization, inRolledBack, type Tx } from "../platform/postgres/database.ts";
import type { RecordRequest } from "./activities.ts";
import { asRefusal } from "./errors.ts";
import { forgetAnswersBefore, recallAnswer, rememberAnswer, takeKey } from "./idempotency-store.ts";
import { type ErrorBody, invalidMembers, Problem } from "./problem.ts";

const KEPT = { hours: 24 };
const KEY_LENGTH_MAX = 255;
const ATTEMPTS_MAX = 3;

type Work<T> = (tx: Tx, organizationId: string) => Promise<T>;

/** `restore` runs in the transaction of the repeated request. */
type Brief<T> = { shorten: (answer: T) => unknown; restore: (tx: Tx, kept: unknown) => Promise<T> };

declare module "fastify" {
  interface FastifyRequest {
    read<T>(work: Work<T>): Promise<T>;
    /** Runs a change and rolls it back. */
    preview<T>(work: Work<T>): Promise<T>;
    /** `finish` runs after the commit, for responses that take longer than a transaction may. */
    write<T>(work: Work<T>, finish?: (answer: T) => Promise<T>): Promise<T>;
    /** Keeps only what restores the answer, where the database has the rest. */
    writeBriefly<T>(work: Work<T>, brief: Brief<T>): Promise<T>;
  }
  interface FastifyContextConfig {
    /** The answer shows a secret, so it is sealed where it is stored for a repeated request. */
    showsSecret?: boolean;
  }
}

/** Seals stored answers that show a secret. */
export type AnswerBox = {
  seal: (tx: Tx, organizationId: string, key: string, answer: string) => Promise<string>;
  open: (tx: Tx, organizationId: string, key: string, answer: string) => Promise<string>;
};

type Means = { db: Database; clock: Clock; answerBox: AnswerBox };

/** `record` adds the change to the trail, in its transaction: a refused change leaves nothing there, and neither does a repeated answer. */
export function offerTransactions(
  app: FastifyInstance,
  { db, clock, answerBox, record }: Means & { record: RecordRequest },
): void {
  app.decorateRequest("read", function (this: FastifyRequest, work) {
    const { organizationId } = this.caller;
    return inOrganization(db, organizationId, (tx) => work(tx, organizationId));
  });
  app.decorateRequest("preview", function (this: FastifyRequest, work) {
    const { organizationId } = this.caller;
    return retryDeadlocks(() => inRolledBack(db, organizationId, (tx) => work(tx, organizationId)));
  });
  const writeAll = (request: FastifyRequest) =>
    async function write<T>(change: Work<T>, { finish, brief }: Answering<T>): Promise<T> {
      const work: Work<T> = async (tx, organizationId) => {
        const answer = await change(tx, organizationId);
        await record(tx, request, answer);
        return answer;
      };
      const key = request.method === "POST" ? readKey(request) : undefined;
      if (key !== undefined) return writeOnce({ db, clock, answerBox, request, key }, work, { finish, brief });
      const { organizationId } = request.caller;
      const answer = await retryDeadlocks(() => inOrganization(db, organizationId, (tx) => work(tx, organizationId)));
      return finish ? finish(answer) : answer;
    };
  app.decorateRequest("write", function (this: FastifyRequest, work, finish) {
    return writeAll(this)(work, { finish });
  });
  app.decorateRequest("writeBriefly", function (this: FastifyRequest, work, brief) {
    return writeAll(this)(work, { brief });
  });
}

/** Deletes keys that are older than promised; called by a scheduled job. */
export async function forgetOldAnswers(dispatcherDb: Database, clock: Clock): Promise<void> {
  await forgetAnswersBefore(dispatcherDb, clock.now().subtract(KEPT));
}

type Once = Means & { request: FastifyRequest; key: string };

type Answering<T> = { finish?: ((answer: T) => Promise<T>) | undefined; brief?: Brief<T> | undefined };

/**
 * The key's row and the effect are one transaction: a second request with the key waits for the first and repeats its response. A refusal
 * undoes the effect but keeps the key, so that it is repeated as well.
 */
async function writeOnce<T>(
  { db, clock, answerBox, request, key }: Once,
  work: Work<T>,
  { finish, brief }: Answering<T>,
): Promise<T> {
  const { organizationId } = request.caller;
  const hasSecret = request.routeOptions.config.showsSecret === true;
  // A secret is repeated only to the caller who got it.
  const sender = hasSecret ? request.caller.actor.id : "";
  const hash = createHash("sha256")
    .update(`${sender}${request.method} ${request.url}\n${request.bodyText || JSON.stringify(request.body)}`)
    .digest();
  const now = clock.now();
  const seal = async (tx: Tx, answer: string): Promise<string> =>
    hasSecret ? answerBox.seal(tx, organizationId, key, answer) : answer;
  let isRepeated = false;
  const outcome = await retryDeadlocks(() =>
    inOrganization(db, organizationId, async (tx): Promise<T | Problem> => {
      isRepeated = !(await takeKey(tx, organizationId, { key, hash, now, staleBefore: now.subtract(KEPT) }));
      if (isRepeated) {
        const { answer, ...rest } = await recallAnswer(tx, organizationId, key);
        const opened = hasSecret ? await answerBox.open(tx, organizationId, key, answer) : answer;
        const kept = repeatAnswer<T>({ ...rest, answer: opened }, hash);
        return brief && !(kept instanceof Problem) ? brief.restore(tx, kept) : kept;
      }
      const toKept = async (answer: T) => seal(tx, toExactJson(brief ? brief.shorten(answer) : answer));
      return runAndRemember(tx, organizationId, { key, toKept }, work);
    }),
  );
  if (outcome instanceof Problem) throw outcome;
  if (isRepeated || !finish) return outcome;
  const finished = await finish(outcome);
  await inOrganization(db, organizationId, async (tx) =>
    rememberAnswer(tx, organizationId, { key, status: 200, answer: await seal(tx, toExactJson(finished)) }),
  );
  return finished;
}

type Remembering<T> = { key: string; toKept: (answer: T) => Promise<string> };

async function runAndRemember<T>(
  tx: Tx,
  organizationId: string,
  { key, toKept }: Remembering<T>,
  work: Work<T>,
): Promise<T | Problem> {
  await sql`savepoint effect`.execute(tx);
  try {
    const answer = await work(tx, organizationId);
    // Check deferred constraints now: at the commit, the savepoint is gone.
    await sql`set constraints all immediate`.execute(tx);
    await rememberAnswer(tx, organizationId, { key, status: 200, answer: await toKept(answer) });
    return answer;
  } catch (error) {
    const refused = asRefusal(error);
    if (!refused) throw error;
    await sql`rollback to savepoint effect`.execute(tx);
    await rememberAnswer(tx, organizationId, {
      key,
      status: refused.body.status,
      answer: JSON.stringify(refused.body),
    });
    return refused;
  }
}

function repeatAnswer<T>(
  remembered: { request_hash: Buffer; status: number; answer: string },
  hash: Buffer,
): T | Problem {
  if (!remembered.request_hash.equals(hash)) throw badKey("value_already_exist", USED);
  const answer = parseExactJson(remembered.answer);
  return remembered.status === 200 ? (answer as T) : new Problem(answer as ErrorBody);
}

const USED =
  "Another request was sent with this Idempotency-Key in the last 24 hours. Send a new key; only an identical request may repeat one.";
const EMPTY = "The header Idempotency-Key is empty. Send a text that no other request has, or leave the header out.";
const TOO_LONG = `The header Idempotency-Key is too long. Send at most ${KEY_LENGTH_MAX} characters.`;

const badKey = (code: string, message: string): Problem => invalidMembers([{ path: "idempotency_key", code, message }]);

function readKey(request: FastifyRequest): string | undefined {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || key.trim() === "") throw badKey("value_is_invalid", EMPTY);
  if (key.length > KEY_LENGTH_MAX) throw badKey("value_is_too_long", TOO_LONG);
  return key;
}

/** Two requests wait for each other: Postgres aborts one, which can simply be retried. */
export async function retryDeadlocks<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      if (attempt === ATTEMPTS_MAX || (code !== "40P01" && code !== "40001")) throw error;
    }
  }
}
