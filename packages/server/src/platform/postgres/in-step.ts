/**
 * Pieces of work of one kind that go in step, in one transaction: each is written as if it were alone, and where all of them come
 * to the same statement it is run once for all. What costs the time of small work is the number of statements.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Tx } from "./database.ts";

/** Answers all who ask at once, in their order. `where` is mostly their transaction. */
type AnswerAll<Where, Input, Answer> = (
  where: Where,
  organizationId: string,
  given: readonly Input[],
) => Promise<readonly Answer[]>;

type AnyAnswerAll = AnswerAll<unknown, unknown, unknown>;

type Question = {
  readonly given: unknown;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
};

type Requested = {
  readonly answerAll: AnyAnswerAll;
  readonly where: unknown;
  readonly organizationId: string;
  readonly questions: Question[];
};

/** Those who go together. Nobody is answered before everybody waits, or is done. */
class Company {
  private readonly requested: Requested[] = [];
  private going: number;
  private waiting = 0;

  constructor(size: number) {
    this.going = size;
  }

  ask(answerAll: AnyAnswerAll, where: unknown, organizationId: string, given: unknown): Promise<unknown> {
    const answer = new Promise<unknown>((resolve, reject) => {
      let same = this.requested.find(
        (one) => one.answerAll === answerAll && one.where === where && one.organizationId === organizationId,
      );
      if (!same) {
        same = { answerAll, where, organizationId, questions: [] };
        this.requested.push(same);
      }
      same.questions.push({ given, resolve, reject });
    });
    this.waiting += 1;
    this.answerIfAllWait();
    return answer;
  }

  leave(): void {
    this.going -= 1;
    this.answerIfAllWait();
  }

  private answerIfAllWait(): void {
    if (this.waiting < this.going) return;
    this.waiting = 0;
    for (const requested of this.requested.splice(0)) void answer(requested);
  }
}

async function answer({ answerAll, where, organizationId, questions }: Requested): Promise<void> {
  try {
    const given = questions.map((question) => question.given);
    const answers = await answerAll(where, organizationId, given);
    for (const [index, { resolve }] of questions.entries()) resolve(answers[index]);
  } catch (error) {
    for (const { reject } of questions) reject(error);
  }
}

const companies = new AsyncLocalStorage<Company>();

/** What every statement says after one of its transaction has failed. */
const IN_FAILED_TRANSACTION = "25P02";

const isAftermath = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === IN_FAILED_TRANSACTION;

/** All of it or, as it shares a transaction, nothing: once nobody is at work any more, the error is thrown that came first. */
export async function inStep<T>(pieces: readonly (() => Promise<T>)[]): Promise<T[]> {
  const company = new Company(pieces.length);
  const errors: unknown[] = [];
  const go = async (piece: () => Promise<T>): Promise<T> => {
    try {
      return await piece();
    } catch (error) {
      errors.push(error);
      throw error;
    } finally {
      company.leave();
    }
  };
  const outcomes = await companies.run(company, () => Promise.allSettled(pieces.map(go)));
  // The others may only say that their transaction has failed.
  if (errors.length > 0) throw errors.find((error) => !isAftermath(error)) ?? errors[0];
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<T>).value);
}

/** For one who is alone, or for all who go in step. */
export function together<Options, Answer, Where = Tx>(answerAll: AnswerAll<Where, Options, Answer>) {
  return async (where: Where, organizationId: string, given: Options): Promise<Answer> => {
    const company = companies.getStore();
    if (company) return company.ask(answerAll as AnyAnswerAll, where, organizationId, given) as Promise<Answer>;
    const [answer] = await answerAll(where, organizationId, [given]);
    return answer as Answer;
  };
}

/** Rows by ids of theirs: each who asks gets the rows of its ids, in the order of the statement. */
export const rowsTogether = <Row>(
  find: (tx: Tx, organizationId: string, ids: readonly string[]) => Promise<Row[]>,
  idOf: (row: Row) => string,
) =>
  together<readonly string[], Row[]>(async (tx, organizationId, given) => {
    const rows = await find(tx, organizationId, [...new Set(given.flat())]);
    if (given.length === 1) return [rows];
    return given.map((ids) => {
      const own = new Set(ids);
      return rows.filter((row) => own.has(idOf(row)));
    });
  });

/** Rows to write: those of all, in one statement. */
export const writeTogether = <Row>(write: (tx: Tx, organizationId: string, rows: readonly Row[]) => Promise<void>) =>
  together<readonly Row[], void>(async (tx, organizationId, given) => {
    const rows = given.flat();
    if (rows.length > 0) await write(tx, organizationId, rows);
    return given.map(() => undefined);
  });
