import { expect, test } from "vitest";
import { ALONE, alone, type Batch, batched, batchedRows, batchedWrite, runAtBarrier, runBatched } from "./batch.ts";
import type { Tx } from "./database.ts";

const tx = {} as Tx;
const organization = "of one";

/** Doubles numbers, and records which inputs shared a statement. */
function doubling() {
  const statements: (readonly number[])[] = [];
  const double = batched<number, number>(async (_, __, inputs) => {
    statements.push(inputs);
    return inputs.map((number) => 2 * number);
  });
  return { statements, double };
}

test("a call without a batch runs at once, also beside another one", async () => {
  const { statements, double } = doubling();
  const one = alone(tx);
  expect([await double(one, organization, 4), await double(one, organization, 5)]).toEqual([8, 10]);
  expect(await Promise.all([double(one, organization, 6), double(alone(tx), organization, 7)])).toEqual([12, 14]);
  expect(statements).toEqual([[4], [5], [6], [7]]);
});

test("a transaction is no batch: whoever calls a batched function says whether it is alone", async () => {
  const { double } = doubling();
  // @ts-expect-error: this line is the test, and the type check runs it.
  await expect(async () => double(tx, organization, 1)).rejects.toThrow(TypeError);
});

test("pieces of a batch share their statements, and each gets its own output", async () => {
  const { statements, double } = doubling();
  const outputs = await runBatched(
    tx,
    [1, 2, 3].map((number) => async (batch) => double(batch, organization, await double(batch, organization, number))),
  );
  expect(outputs).toEqual([4, 8, 12]);
  expect(statements).toEqual([
    [1, 2, 3],
    [2, 4, 6],
  ]);
});

test("inside of a batch, a call without it waits for no other call and shares nothing", async () => {
  const { statements, double } = doubling();
  const outputs = await runBatched(tx, [
    async (batch) => double(batch, organization, await double(alone(batch.tx), organization, 1)),
    async (batch) => double(batch, organization, 3),
  ]);
  expect(outputs).toEqual([4, 6]);
  expect(statements).toEqual([[1], [3, 2]]);
});

test("the error is thrown that came first, not one that only says that the transaction has failed", async () => {
  const failed = Object.assign(new Error("current transaction is aborted"), { code: "25P02" });
  let isAborted = false;
  const write = batched<string, void>(async (_, __, inputs) => {
    if (isAborted) throw failed;
    if (inputs.includes("bad")) {
      isAborted = true;
      throw new Error("numeric field overflow");
    }
    return inputs.map(() => undefined);
  });
  const other = batched<string, void>(async () => {
    throw failed;
  });
  const both = runBatched(tx, [
    (batch) => other(batch, organization, "good"),
    (batch) => write(batch, organization, "bad"),
  ]);
  await expect(both).rejects.toThrow("numeric field overflow");
});

test("no piece waits for one that is done, nor for one with fewer calls", async () => {
  const { statements, double } = doubling();
  const outputs = await runBatched<string | number>(tx, [
    async () => "no call",
    async (batch) => double(batch, organization, 1),
    async (batch) => {
      const four = await double(batch, organization, await double(batch, organization, 1));
      return double(batch, organization, four);
    },
  ]);
  expect(outputs).toEqual(["no call", 2, 8]);
  expect(statements).toEqual([[1, 1], [2], [4]]);
});

test("a piece that waits for something outside of the batch holds up the others until it calls", async () => {
  const { statements, double } = doubling();
  const outside = Promise.withResolvers<number>();
  const outputs = runBatched(tx, [
    async (batch) => double(batch, organization, 1),
    async (batch) => double(batch, organization, await outside.promise),
  ]);
  expect(await double(alone(tx), organization, 0)).toBe(0);
  expect(statements).toEqual([[0]]);
  outside.resolve(2);
  expect(await outputs).toEqual([2, 4]);
  expect(statements).toEqual([[0], [1, 2]]);
});

test("different functions, sources and organizations are not mixed", async () => {
  const statements: string[] = [];
  const note = (name: string) => async (source: string, of: string, inputs: readonly string[]) => {
    statements.push(`${name} ${source} ${of}: ${inputs.join(", ")}`);
    return inputs;
  };
  const [one, other] = [note("one"), note("other")];
  await runAtBarrier([
    (barrier) => barrier.call(one, "here", "a", "1"),
    (barrier) => barrier.call(one, "here", "a", "2"),
    (barrier) => barrier.call(one, "there", "a", "3"),
    (barrier) => barrier.call(one, "here", "b", "4"),
    (barrier) => barrier.call(other, "here", "a", "5"),
  ]);
  await ALONE.call(one, "here", "a", "6");
  const shared = ["one here a: 1, 2", "one there a: 3", "one here b: 4", "other here a: 5"];
  expect(statements).toEqual([...shared, "one here a: 6"]);
});

test("each piece gets the rows of its ids, in the order of the statement; rows are written in one statement", async () => {
  const find = batchedRows(
    async (_, __, ids) => ["c", "b", "a"].filter((id) => ids.includes(id)).map((id) => ({ id })),
    ({ id }) => id,
  );
  const written: string[][] = [];
  const write = batchedWrite<string>(async (_, __, rows) => void written.push([...rows]));
  const found = await runBatched(
    tx,
    [["a", "c"], ["b"], [], ["a"]].map((ids) => async (batch) => {
      const rows = await find(batch, organization, ids);
      await write(batch, organization, ids);
      return rows.map(({ id }) => id);
    }),
  );
  expect(found).toEqual([["c", "a"], ["b"], [], ["a"]]);
  expect(written).toEqual([["a", "c", "b", "a"]]);
});

test("a statement that fails, fails for every piece that shares it", async () => {
  const fail = batched<number, number>(async () => {
    throw new Error("no such table");
  });
  const failed: number[] = [];
  const pieces = [1, 2].map((number) => async (batch: Batch) => {
    await fail(batch, organization, number).catch((error) => {
      failed.push(number);
      throw error;
    });
  });
  await expect(runBatched(tx, pieces)).rejects.toThrow("no such table");
  expect(failed).toEqual([1, 2]);
});

test("a piece that throws while the others wait does not leave them waiting; its error is thrown when they have ended", async () => {
  const { statements, double } = doubling();
  const outside = Promise.withResolvers<void>();
  const ended: number[] = [];
  const outputs = runBatched(
    tx,
    [1, 2, 3].map((number) => async (batch) => {
      if (number === 2) await outside.promise;
      ended.push(await double(batch, organization, await double(batch, organization, number)));
    }),
  );
  outside.reject(new Error("2 cannot be done"));
  await expect(outputs).rejects.toThrow("2 cannot be done");
  expect(ended).toEqual([4, 12]);
  expect(statements).toEqual([
    [1, 3],
    [2, 6],
  ]);
});
