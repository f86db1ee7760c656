// Local days from the offsets that Intl shows and whole numbers: Temporal's zones have no part in it.

import { dayNumber } from "@tallystick/second-opinion/days";

/** A local day, and an instant whose local day is the question. */
export type DayCase = { timeZone: string; day: string; at: string };
export type LocalDay = { from: string; to: string; dayAtInstant: string };

const DAY_SECONDS = 86_400;
/** Days around the one in question: a zone that skips a day shifts its neighbors. */
const AROUND = 3;

type OffsetChange = { readonly at: number; readonly offset: number };

/** When a local day begins and ends, and which day has begun last at an instant. */
export function oracleLocalDay({ timeZone, day, at }: DayCase): LocalDay {
  const number = dayNumber(Temporal.PlainDate.from(day));
  const starts = startsOf(timeZone, number - AROUND, number + AROUND);
  const second = Math.floor(Temporal.Instant.from(at).epochMilliseconds / 1000);
  const near = Math.floor(second / DAY_SECONDS);
  const begun = [...startsOf(timeZone, near - AROUND, near + AROUND)].filter(([, start]) => start <= second);
  return {
    from: isoInstant(starts.get(number)),
    to: isoInstant(starts.get(number + 1)),
    dayAtInstant: isoDay(Math.max(...begun.map(([each]) => each))),
  };
}

const isoInstant = (second = Number.NaN): string => Temporal.Instant.fromEpochMilliseconds(second * 1000).toString();

const isoDay = (number: number): string => isoInstant(number * DAY_SECONDS).slice(0, 10);

/** By day number: the first second at which the zone shows the date, or a later one where it skips the date. */
function startsOf(timeZone: string, firstDay: number, lastDay: number): Map<number, number> {
  const end = (lastDay + 3) * DAY_SECONDS;
  const offsets = offsetChanges(timeZone, (firstDay - 2) * DAY_SECONDS, end);
  const starts = new Map<number, number>();
  let next = firstDay - 1;
  for (const [index, { at, offset }] of offsets.entries()) {
    const until = offsets[index + 1]?.at ?? end;
    const lastShown = Math.floor((until - 1 + offset) / DAY_SECONDS);
    for (; next <= lastShown; next++) starts.set(next, Math.max(at, next * DAY_SECONDS - offset));
  }
  return starts;
}

function offsetChanges(timeZone: string, from: number, to: number): OffsetChange[] {
  const changes: OffsetChange[] = [{ at: from, offset: offsetAt(timeZone, from) }];
  for (let second = from; second < to; second += DAY_SECONDS) {
    const [before, after] = [offsetAt(timeZone, second), offsetAt(timeZone, second + DAY_SECONDS)];
    if (before === after) continue;
    let [low, high] = [second, second + DAY_SECONDS];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(timeZone, middle) === before) low = middle;
      else high = middle;
    }
    changes.push({ at: high, offset: after });
  }
  return changes;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function offsetAt(timeZone: string, second: number): number {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  formats.set(timeZone, format);
  const shown = format.format(second * 1000);
  const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(shown);
  if (!match) throw new Error(`No offset in ${shown}.`);
  const [, sign = "+", hours = "0", minutes = "0", seconds = "0"] = match;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}
