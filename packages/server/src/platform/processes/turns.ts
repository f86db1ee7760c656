/** Turns for work: a few at a time for each group, and groups in the order in which they last had one. */

export type Turns = {
  /** Resolves to false at once if too many of the group are waiting. */
  take: (group: string) => Promise<boolean>;
  leave: (group: string) => void;
};

/** `perGroup`: how many of one group run at the same time. */
type Options = { atOnce: number; perGroup: number; waitingMax: number };

export function createTurns({ atOnce, perGroup, waitingMax }: Options): Turns {
  const running = new Map<string, number>();
  let total = 0;
  /** A group that has had a turn goes to the end. */
  const waiting = new Map<string, (() => void)[]>();

  const countOf = (group: string): number => running.get(group) ?? 0;
  const goToEnd = (group: string): void => {
    const starts = waiting.get(group);
    waiting.delete(group);
    if (starts && starts.length > 0) waiting.set(group, starts);
  };
  const nextGroup = (): string | undefined => waiting.keys().find((group) => countOf(group) < perGroup);
  const startNext = (): void => {
    while (total < atOnce) {
      const group = nextGroup();
      if (group === undefined) return;
      const start = waiting.get(group)?.shift();
      goToEnd(group);
      running.set(group, countOf(group) + 1);
      total++;
      start?.();
    }
  };
  return {
    take: (group) => {
      const starts = waiting.get(group) ?? [];
      if (starts.length >= waitingMax) return Promise.resolve(false);
      return new Promise((resolve) => {
        starts.push(() => resolve(true));
        waiting.set(group, starts);
        startNext();
      });
    },
    leave: (group) => {
      const left = countOf(group) - 1;
      if (left > 0) running.set(group, left);
      else running.delete(group);
      total--;
      goToEnd(group);
      startNext();
    },
  };
}
