/** The derivation of a quantity, as plain data: it survives JSON, and its units can be recomputed from it alone. */
import type { ChargeFilter } from "../catalog/index.ts";
import { ceilTo, type Decimal, decimal, readExact, ZERO } from "../money/index.ts";
import { localText } from "../time/index.ts";
import type { Group } from "./group.ts";
import type { Quantity } from "./quantity.ts";
import type { UsageWindow } from "./window.ts";

/** The figures behind the units, as exact text. Carried figures come from history before the window. */
export type Basis =
  | { readonly type: "count"; readonly events: string }
  | { readonly type: "sum"; readonly field: string; readonly carried: string; readonly added: string }
  | { readonly type: "max"; readonly field: string; readonly largest: string }
  | { readonly type: "latest"; readonly field: string; readonly latest: string }
  | {
      readonly type: "unique_count";
      readonly field: string;
      readonly carried: string;
      readonly added: string;
      readonly removed: string;
    }
  | {
      readonly type: "weighted_sum";
      readonly field: string;
      readonly carried: string;
      readonly added: string;
      /** Each unit times the seconds it was in effect. */
      readonly unitSeconds: string;
      readonly periodSeconds: string;
    };

/** A quantity with the figures it is made of. */
export type Measure = { readonly quantity: Quantity; readonly basis: Basis };

export type UsageDerivation = {
  readonly window: {
    readonly from: string;
    readonly to: string;
    readonly timeZone: string;
    readonly firstDay: string;
    readonly lastDay: string;
    readonly periodDays: number;
  };
  /** null: events that no filter takes. */
  readonly filter: Pick<ChargeFilter, "id" | "values"> | null;
  readonly group: Group;
  readonly eventsCounted: string;
  /** Events of the window without a value that the metric can use. */
  readonly eventsIgnored: string;
  readonly basis: Basis;
};

/** The content of a derivation besides its window. */
type Found = Pick<UsageDerivation, "group" | "basis"> & {
  readonly filter: ChargeFilter | null;
  readonly eventsCounted: bigint;
  readonly eventsIgnored: bigint;
};

const WEIGHTED_DIGITS = 20;

/** The units, recomputed from their figures alone. A sum may be below 0. */
export function unitsFrom({ basis }: Pick<UsageDerivation, "basis">): Decimal {
  switch (basis.type) {
    case "count":
      return decimal(basis.events);
    case "sum":
      return decimal(basis.carried).plus(decimal(basis.added));
    case "max":
      return decimal(basis.largest);
    case "latest":
      return atLeastZero(decimal(basis.latest));
    case "unique_count":
      return decimal(basis.carried).plus(decimal(basis.added)).minus(decimal(basis.removed));
    case "weighted_sum":
      return ceilTo(readExact(basis.unitSeconds).over(decimal(basis.periodSeconds)), WEIGHTED_DIGITS);
  }
}

/** The value at the end of the window. It differs from the units only if those are weighed by time. */
export const closingFrom = ({ basis }: Pick<UsageDerivation, "basis">): Decimal =>
  basis.type === "weighted_sum" ? decimal(basis.carried).plus(decimal(basis.added)) : unitsFrom({ basis });

/** Figures and their window as plain data. */
export function derivationOf(
  { filter, group, basis, eventsCounted, eventsIgnored }: Found,
  window: UsageWindow,
): UsageDerivation {
  return {
    window: windowText(window),
    filter: filter === null ? null : { id: filter.id, values: filter.values },
    group,
    eventsCounted: String(eventsCounted),
    eventsIgnored: String(eventsIgnored),
    basis,
  };
}

function windowText({ from, to, timeZone, firstDay, lastDay, periodDays }: UsageWindow): UsageDerivation["window"] {
  return {
    from: from.toString(),
    to: to.toString(),
    timeZone,
    firstDay: firstDay.toString(),
    lastDay: lastDay.toString(),
    periodDays,
  };
}

/** The quantity in sentences that can be checked with a pocket calculator: "10 from before + -4 in this window = 6". */
export function explainQuantity(derivation: UsageDerivation): string[] {
  const { window, filter, group, basis } = derivation;
  return [
    `${titleOf(basis)}, from ${inZone(window, window.from)} until before ${inZone(window, window.to)}`,
    ...Object.entries(filter?.values ?? {}).map(([key, values]) => `Filter ${key}: ${values.join(" or ")}`),
    ...Object.entries(group).map(([name, value]) => `Group ${name}: ${value ?? "none"}`),
    eventsLine(derivation),
    `${calculationOf(basis)}${unitsFrom(derivation).lt(ZERO) ? ", billed as 0" : ""}`,
  ];
}

/** For a quantity at the end of its window that is paid in advance. */
export const explainHeld = ({ window }: Pick<UsageDerivation, "window">): string =>
  `Held at ${inZone(window, window.to)}, paid in advance for the period that begins then`;

/** In the customer's local time: a month in Berlin begins on its first day, not an hour before. */
const inZone = ({ timeZone }: UsageDerivation["window"], instant: string): string =>
  localText(Temporal.Instant.from(instant), timeZone);

function titleOf(basis: Basis): string {
  switch (basis.type) {
    case "count":
      return "Number of events";
    case "sum":
      return `Sum of ${basis.field}`;
    case "max":
      return `Largest ${basis.field}`;
    case "latest":
      return `Latest ${basis.field}`;
    case "unique_count":
      return `Different values of ${basis.field} in use`;
    case "weighted_sum":
      return `Sum of ${basis.field}, weighed by time`;
  }
}

function eventsLine({ eventsCounted, eventsIgnored, basis }: UsageDerivation): string {
  const counted = `${eventsCounted} ${eventsCounted === "1" ? "event" : "events"} counted`;
  if (eventsIgnored === "0" || basis.type === "count") return counted;
  const need = basis.type === "unique_count" ? basis.field : `a number as ${basis.field}`;
  return `${counted}, ${eventsIgnored} ignored for want of ${need}`;
}

function calculationOf(basis: Basis): string {
  const units = unitsFrom({ basis }).toFixed();
  switch (basis.type) {
    case "count":
      return `Units: ${units}`;
    case "sum":
      return `${basis.carried} from before + ${basis.added} in this window = ${units}`;
    case "max":
      return `Largest value: ${units}`;
    case "latest":
      return `Latest value: ${basis.latest}${basis.latest === units ? "" : `, below 0, so ${units}`}`;
    case "unique_count":
      return `${basis.carried} from before + ${basis.added} added - ${basis.removed} removed = ${units}`;
    case "weighted_sum":
      return `${basis.unitSeconds} units × seconds / ${basis.periodSeconds} seconds of the period = ${units}, rounded up at ${WEIGHTED_DIGITS} decimals`;
  }
}

export const atLeastZero = (value: Decimal): Decimal => (value.lt(ZERO) ? ZERO : value);
