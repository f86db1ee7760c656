/** When the days of a zone begin, from what Intl shows as its offset and whole numbers; nothing here asks Temporal. */

const DAY_SECONDS = 86_400;

/** Seconds since 1970, and the offset from UTC that is in force from there on. */
type OffsetChange = { readonly at: number; readonly offset: number };

/** Days by their number since 1970, instants in seconds since 1970. */
export type ZoneDays = {
  /** The first second at which the zone shows the date, or a later one where it skips the date. */
  readonly starts: ReadonlyMap<number, number>;
  /** Where clocks change: the day that has begun last, just before it and from it on. */
  readonly changes: readonly { readonly at: number; readonly dayBefore: number; readonly dayAfter: number }[];
};

/** The days of a zone from the first to the last and a few around them. */
export function zoneDays(timeZone: string, firstDay: number, lastDay: number): ZoneDays {
  const end = (lastDay + 3) * DAY_SECONDS;
  const offsets = offsetChanges(timeZone, (firstDay - 2) * DAY_SECONDS, end);
  const starts = new Map<number, number>();
  const changes: ZoneDays["changes"][number][] = [];
  let next = firstDay - 1;
  for (const [index, { at, offset }] of offsets.entries()) {
    const shown = Math.floor((at + offset) / DAY_SECONDS);
    if (index > 0) changes.push({ at, dayBefore: next - 1, dayAfter: Math.max(next - 1, shown) });
    const until = offsets[index + 1]?.at ?? end;
    const lastShown = Math.floor((until - 1 + offset) / DAY_SECONDS);
    for (; next <= lastShown; next++) starts.set(next, Math.max(at, next * DAY_SECONDS - offset));
  }
  return { starts, changes };
}

function offsetChanges(timeZone: string, from: number, to: number): OffsetChange[] {
  const offsetAt = offsetsOf(timeZone);
  const changes: OffsetChange[] = [{ at: from, offset: offsetAt(from) }];
  for (let second = from; second < to; second += DAY_SECONDS) {
    const [before, after] = [offsetAt(second), offsetAt(second + DAY_SECONDS)];
    if (before === after) continue;
    let [low, high] = [second, second + DAY_SECONDS];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    changes.push({ at: high, offset: after });
  }
  return changes;
}

function offsetsOf(timeZone: string): (second: number) => number {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  return (second) => {
    const shown = format.format(second * 1000);
    const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(shown);
    if (!match) throw new Error(`No offset in ${shown}.`);
    const [, sign = "+", hours = "0", minutes = "0", seconds = "0"] = match;
    return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
  };
}
