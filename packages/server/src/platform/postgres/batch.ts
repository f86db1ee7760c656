/**
 * Pieces of work that share their statements. Each is written as if it were alone. Where several of them reach the same statement, it
 * runs once for all: the number of statements is what small work costs. A function that may wait for other pieces takes a `Batch` or a
 * `Barrier`; one that takes a `Tx` never does.
 */
import type { Tx } from "./database.ts";

/** Runs the statement for all inputs and returns an output for each, in their order. */
type RunAll<Source, Input, Output> = (
  source: Source,
  organizationId: string,
  inputs: readonly Input[],
) => Promise<readonly Output[]>;

type AnyRunAll = RunAll<unknown, unknown, unknown>;

type Call = {
  readonly input: unknown;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
};

type Statement = {
  readonly runAll: AnyRunAll;
  readonly source: unknown;
  readonly organizationId: string;
  readonly calls: Call[];
};

/** Where pieces of work wait for each other: no statement runs before every piece waits for one, or is done. */
export class Barrier {
  private readonly statements: Statement[] = [];
  private working: number;
  private waiting = 0;

  constructor(pieces: number) {
    this.working = pieces;
  }

  /** Calls of one function, source and organization share a statement. */
  call<Source, Input, Output>(
    runAll: RunAll<Source, Input, Output>,
    source: Source,
    organizationId: string,
    input: Input,
  ): Promise<Output> {
    const output = new Promise<unknown>((resolve, reject) => {
      let statement = this.statements.find(
        (one) => one.runAll === runAll && one.source === source && one.organizationId === organizationId,
      );
      if (!statement) {
        statement = { runAll: runAll as AnyRunAll, source, organizationId, calls: [] };
        this.statements.push(statement);
      }
      statement.calls.push({ input, resolve, reject });
    });
    this.waiting += 1;
    this.runIfAllWait();
    return output as Promise<Output>;
  }

  /** A piece of work is done, or has failed: the others no longer wait for it. */
  leave(): void {
    this.working -= 1;
    this.runIfAllWait();
  }

  private runIfAllWait(): void {
    if (this.waiting < this.working) return;
    this.waiting = 0;
    for (const statement of this.statements.splice(0)) void run(statement);
  }
}

async function run({ runAll, source, organizationId, calls }: Statement): Promise<void> {
  try {
    const inputs = calls.map((call) => call.input);
    const outputs = await runAll(source, organizationId, inputs);
    for (const [index, { resolve }] of calls.entries()) resolve(outputs[index]);
  } catch (error) {
    for (const { reject } of calls) reject(error);
  }
}

/** A transaction, and the barrier of the pieces of work that share it. */
export type Batch = { readonly tx: Tx; readonly barrier: Barrier };

/** For work that waits for no other: each of its statements runs at once. */
export const ALONE = new Barrier(1);

export const alone = (tx: Tx): Batch => ({ tx, barrier: ALONE });

/** The code of every statement that follows a failed one in its transaction. */
const IN_FAILED_TRANSACTION = "25P02";

const isConsequence = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === IN_FAILED_TRANSACTION;

/** Runs all pieces in one transaction. If one fails, the others end first; then the first error is thrown, and nothing can be saved. */
export const runBatched = <T>(tx: Tx, pieces: readonly ((batch: Batch) => Promise<T>)[]): Promise<T[]> =>
  runAtBarrier(pieces.map((piece) => (barrier) => piece({ tx, barrier })));

/** The same for work that opens its own transactions. */
export async function runAtBarrier<T>(pieces: readonly ((barrier: Barrier) => Promise<T>)[]): Promise<T[]> {
  const barrier = new Barrier(pieces.length);
  const errors: unknown[] = [];
  const start = async (piece: (barrier: Barrier) => Promise<T>): Promise<T> => {
    try {
      return await piece(barrier);
    } catch (error) {
      errors.push(error);
      throw error;
    } finally {
      barrier.leave();
    }
  };
  const outcomes = await Promise.allSettled(pieces.map(start));
  // The other errors may only say that the transaction has failed.
  if (errors.length > 0) throw errors.find((error) => !isConsequence(error)) ?? errors[0];
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<T>).value);
}

/** A statement for all pieces of a batch: each calls it with its own input, and gets its own output. */
export const batched =
  <Input, Output>(runAll: RunAll<Tx, Input, Output>) =>
  ({ tx, barrier }: Batch, organizationId: string, input: Input): Promise<Output> =>
    barrier.call(runAll, tx, organizationId, input);

/** Rows by their ids: each piece gets the rows of its ids, in the order of the statement. */
export const batchedRows = <Row>(
  find: (tx: Tx, organizationId: string, ids: readonly string[]) => Promise<Row[]>,
  idOf: (row: Row) => string,
) =>
  batched<readonly string[], Row[]>(async (tx, organizationId, inputs) => {
    const rows = await find(tx, organizationId, [...new Set(inputs.flat())]);
    if (inputs.length === 1) return [rows];
    return inputs.map((ids) => {
      const own = new Set(ids);
      return rows.filter((row) => own.has(idOf(row)));
    });
  });

/** Rows to write: those of all pieces, in one statement. */
export const batchedWrite = <Row>(write: (tx: Tx, organizationId: string, rows: readonly Row[]) => Promise<void>) =>
  batched<readonly Row[], void>(async (tx, organizationId, inputs) => {
    const rows = inputs.flat();
    if (rows.length > 0) await write(tx, organizationId, rows);
    return inputs.map(() => undefined);
  });
