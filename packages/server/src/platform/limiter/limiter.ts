/** Counts what callers do, and says whether they may do more: a rate per second, places that are taken at once, and an allowance of bytes. */

export type Demand = {
  /** By 0: only asks. */
  rate?: { name: string; max: number; by?: 0 | 1 };
  /** Kept until `leave`. */
  place?: { name: string; max: number };
  /** More than there is left may be taken once; then nothing until it has come back. */
  bytes?: { name: string; amount: number; perSecond: number };
};

export type Verdict = {
  refusedFor: "rate" | "place" | "bytes" | null;
  /** When to ask again. */
  waitMs: number;
  /** Of the rate, in the current second. */
  left: number;
};

export type Limiter = {
  /** Takes everything that is demanded, or nothing. */
  admit: (demand: Demand) => Promise<Verdict>;
  leave: (place: string) => void;
  /** Takes bytes that were known only later. */
  charge: (bytes: NonNullable<Demand["bytes"]>) => void;
};

const WINDOW_MS = 1_000;
/** An idle caller saves up for so long. */
const BURST_SECONDS = 1;
/** Callers can be made up, such as addresses: they must not fill the memory. */
const NAMES_MAX = 100_000;

export function createLimiter(now: () => number = () => performance.now()): Limiter {
  const windows = new Map<string, { begun: number; count: number }>();
  const places = new Map<string, number>();
  const allowances = new Map<string, { left: number; at: number }>();

  const windowOf = (name: string) => {
    const known = windows.get(name);
    return known && now() - known.begun < WINDOW_MS ? known : { begun: now(), count: 0 };
  };
  const allowanceOf = ({ name, perSecond }: NonNullable<Demand["bytes"]>) => {
    const known = allowances.get(name) ?? { left: BURST_SECONDS * perSecond, at: now() };
    const refilled = known.left + (perSecond * (now() - known.at)) / 1000;
    return { left: Math.min(refilled, BURST_SECONDS * perSecond), at: now() };
  };
  const decide = ({ rate, place, bytes }: Demand): Verdict => {
    const window = rate && windowOf(rate.name);
    const left = rate && window ? Math.max(rate.max - window.count - (rate.by ?? 1), 0) : 0;
    if (rate && window && window.count >= rate.max)
      return { refusedFor: "rate", waitMs: WINDOW_MS - (now() - window.begun), left };
    if (place && (places.get(place.name) ?? 0) >= place.max) return { refusedFor: "place", waitMs: WINDOW_MS, left };
    const allowed = bytes ? allowanceOf(bytes).left : 1;
    if (bytes && allowed <= 0) return { refusedFor: "bytes", waitMs: (-allowed / bytes.perSecond) * 1000, left };
    return { refusedFor: null, waitMs: 0, left };
  };
  const charge: Limiter["charge"] = (bytes) => {
    const allowance = allowanceOf(bytes);
    keep(allowances, bytes.name, { ...allowance, left: allowance.left - bytes.amount });
  };
  return {
    admit: async (demand) => {
      const verdict = decide(demand);
      const { rate, place, bytes } = demand;
      // What is refused counts too, so that asking at once again does not pay.
      if (rate && rate.by !== 0 && (verdict.refusedFor === null || verdict.refusedFor === "rate")) {
        const { begun, count } = windowOf(rate.name);
        keep(windows, rate.name, { begun, count: count + 1 });
      }
      if (verdict.refusedFor !== null) return verdict;
      if (place) places.set(place.name, (places.get(place.name) ?? 0) + 1);
      if (bytes) charge(bytes);
      return verdict;
    },
    leave: (place) => {
      const count = (places.get(place) ?? 0) - 1;
      if (count > 0) places.set(place, count);
      else places.delete(place);
    },
    charge,
  };
}

function keep<Value>(values: Map<string, Value>, name: string, value: Value): void {
  if (values.size >= NAMES_MAX && !values.has(name)) values.clear();
  values.set(name, value);
}
