/** Random choices. Each step of a life has dice of its own, so that leaving out one step does not change the others. */
import { createRandom } from "../random.ts";

export type Dice = {
  /** From 0 up to, not including, n. */
  below: (n: number) => number;
  between: (least: number, most: number) => number;
  isOnceIn: (times: number) => boolean;
  oneOf: <Item>(items: readonly Item[]) => Item;
  /** Undefined where there is nothing to choose from. */
  anyOf: <Item>(items: readonly Item[]) => Item | undefined;
};

export function diceOf(random: () => number): Dice {
  const below = (n: number): number => Math.floor(random() * n);
  const anyOf = <Item>(items: readonly Item[]): Item | undefined => items[below(items.length)];
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    isOnceIn: (times) => below(times) === 0,
    anyOf,
    oneOf: (items) => {
      const chosen = anyOf(items);
      if (chosen === undefined) throw new Error("There is nothing to choose from.");
      return chosen;
    },
  };
}

export const diceOfSeed = (seed: number): Dice => diceOf(createRandom(seed));
