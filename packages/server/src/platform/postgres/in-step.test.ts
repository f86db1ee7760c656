import { expect, test } from "vitest";
import type { Tx } from "./database.ts";
import { inStep, rowsTogether, together, writeTogether } from "./in-step.ts";

const tx = {} as Tx;
const organization = "of one";

/** Numbers twice as large, and who asked for them at once. */
function doubling() {
  const requested: (readonly number[])[] = [];
  const double = together<number, number>(async (_, __, given) => {
    requested.push(given);
    return given.map((number) => 2 * number);
  });
  return { requested, double: (number: number) => double(tx, organization, number) };
}

test("one who is alone is answered at once", async () => {
  const { requested: queried, double } = doubling();
  expect([await double(4), await double(5)]).toEqual([8, 10]);
  expect(queried).toEqual([[4], [5]]);
});

test("who goes in step is answered together, question by question, each with its own answer", async () => {
  const { requested: asked, double } = doubling();
  const answers = await inStep([1, 2, 3].map((number) => async () => double(await double(number))));
  expect(answers).toEqual([4, 8, 12]);
  expect(asked).toEqual([
    [1, 2, 3],
    [2, 4, 6],
  ]);
});

test("the error is thrown that came first, not one that only says that the transaction has failed", async () => {
  const failed = Object.assign(new Error("current transaction is aborted"), { code: "25P02" });
  let isAborted = false;
  const write = together<string, void>(async (_, __, given) => {
    if (isAborted) throw failed;
    if (given.includes("bad")) {
      isAborted = true;
      throw new Error("numeric field overflow");
    }
    return given.map(() => undefined);
  });
  const other = together<string, void>(async () => {
    throw failed;
  });
  const both = inStep([() => other(tx, organization, "good"), () => write(tx, organization, "bad")]);
  await expect(both).rejects.toThrow("numeric field overflow");
});

test("nobody waits for one who is done, nor for one who asks less", async () => {
  const { requested: asked, double } = doubling();
  const answers = await inStep<string | number>([
    async () => "nothing to ask",
    async () => double(1),
    async () => double(await double(await double(1))),
  ]);
  expect(answers).toEqual(["nothing to ask", 2, 8]);
  expect(asked).toEqual([[1, 1], [2], [4]]);
});

test("different questions, transactions and organizations are not mixed", async () => {
  const asked: string[] = [];
  const note = (name: string) =>
    together<string, string, string>(async (where, of, given) => {
      asked.push(`${name} ${where} ${of}: ${given.join(", ")}`);
      return given;
    });
  const [one, other] = [note("one"), note("other")];
  await inStep([
    () => one("here", "a", "1"),
    () => one("here", "a", "2"),
    () => one("there", "a", "3"),
    () => one("here", "b", "4"),
    () => other("here", "a", "5"),
  ]);
  expect(asked).toEqual(["one here a: 1, 2", "one there a: 3", "one here b: 4", "other here a: 5"]);
});

test("rows come to those whose ids they have, in the order of the statement; rows to write are written at once", async () => {
  const find = rowsTogether(
    async (_, __, ids) => ["c", "b", "a"].filter((id) => ids.includes(id)).map((id) => ({ id })),
    ({ id }) => id,
  );
  const written: string[][] = [];
  const write = writeTogether<string>(async (_, __, rows) => void written.push([...rows]));
  const found = await inStep(
    [["a", "c"], ["b"], [], ["a"]].map((ids) => async () => {
      const rows = await find(tx, organization, ids);
      await write(tx, organization, ids);
      return rows.map(({ id }) => id);
    }),
  );
  expect(found).toEqual([["c", "a"], ["b"], [], ["a"]]);
  expect(written).toEqual([["a", "c", "b", "a"]]);
});

test("what fails for all fails each; one that fails by itself is thrown when the others have ended", async () => {
  const fail = together<number, number>(async () => {
    throw new Error("no such table");
  });
  await expect(inStep([1, 2].map((number) => () => fail(tx, organization, number)))).rejects.toThrow("no such table");
  const { double } = doubling();
  const ended: number[] = [];
  const pieces = [1, 2, 3].map((number) => async () => {
    if (number === 2) throw new Error("2 cannot be done");
    ended.push(await double(number));
  });
  await expect(inStep(pieces)).rejects.toThrow("2 cannot be done");
  expect(ended).toEqual([2, 6]);
});
