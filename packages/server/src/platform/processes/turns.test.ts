import { expect, test } from "vitest";
import { createTurns } from "./turns.ts";

/** Takes turns for the groups, and tells which have begun. */
function begin(turns: ReturnType<typeof createTurns>, groups: readonly string[]) {
  const begun: string[] = [];
  for (const group of groups) void turns.take(group).then(() => begun.push(group));
  return begun;
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("a group has one turn at a time, and others do not wait for it", async () => {
  const turns = createTurns({ atOnce: 3, perGroup: 1, waitingMax: 10 });
  const begun = begin(turns, ["a", "a", "a", "b"]);
  await settle();
  expect(begun).toEqual(["a", "b"]);
  turns.leave("a");
  await settle();
  expect(begun).toEqual(["a", "b", "a"]);
});

test("a group that has just had a turn comes after the others", async () => {
  const turns = createTurns({ atOnce: 1, perGroup: 1, waitingMax: 10 });
  const begun = begin(turns, ["a", "a", "a", "b", "c"]);
  for (const [index, expected] of ["a", "b", "c", "a", "a"].entries()) {
    await settle();
    expect(begun[index]).toBe(expected);
    turns.leave(expected);
  }
});

test("too many of a group are refused at once", async () => {
  const turns = createTurns({ atOnce: 1, perGroup: 1, waitingMax: 2 });
  const begun = begin(turns, ["a", "a", "a"]);
  expect(await turns.take("a")).toBe(false);
  void turns.take("b");
  await settle();
  expect(begun).toEqual(["a"]);
});

test("a group has as many turns at once as it may, and one is left for another group", async () => {
  const turns = createTurns({ atOnce: 4, perGroup: 3, waitingMax: 10 });
  const begun = begin(turns, ["a", "a", "a", "a", "b", "b"]);
  await settle();
  expect(begun).toEqual(["a", "a", "a", "b"]);
  turns.leave("a");
  await settle();
  expect(begun.at(-1)).toBe("b");
});
