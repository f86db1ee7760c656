/** Runs several things at once: when one fails, or the signal comes, the others are stopped and awaited. */
export async function allOrNone(
  signal: AbortSignal,
  works: readonly ((stop: AbortSignal) => Promise<void>)[],
): Promise<void> {
  const failure = new AbortController();
  const stop = AbortSignal.any([signal, failure.signal]);
  await Promise.all(works.map((work) => work(stop).catch((error: unknown) => failure.abort(error))));
  // Those that were stopped failed because of that: the reason is what counts.
  stop.throwIfAborted();
}
