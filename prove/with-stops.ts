/** Runs something, then stops what it started, the last first. */
export type Stops = (() => Promise<unknown>)[];

export async function withStops<T>(use: (onStop: Stops) => Promise<T>): Promise<T> {
  const onStop: Stops = [];
  try {
    return await use(onStop);
  } finally {
    for (const stop of onStop.reverse()) await stop();
  }
}
