/** Turns for work that takes long: one at a time for each group, and groups in the order in which they last had one. */

export type Turns = {
  /** Resolves to false at once if too many of the group are waiting. */
  take: (group: string) => Promise<boolean>;
  leave: (group: string) => void;
};

export function createTurns({ atOnce, waitingMax }: { atOnce: number; waitingMax: number }): Turns {
  const running = new Set<string>();
  /** A group that has had a turn goes to the end. */
  const waiting = new Map<string, (() => void)[]>();

  const startNext = (): void => {
    for (const [group, starts] of waiting) {
      if (running.size >= atOnce) return;
      if (running.has(group)) continue;
      const start = starts.shift();
      if (starts.length === 0) waiting.delete(group);
      running.add(group);
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
      running.delete(group);
      const starts = waiting.get(group);
      if (starts) {
        waiting.delete(group);
        waiting.set(group, starts);
      }
      startNext();
    },
  };
}
