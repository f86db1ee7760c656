/**
 * What is carried from period to period: every local day is billed once, at the price of a charge that bills it. Where one charge holds a
 * whole period, to the cent; where plans change within it, between what the days cost at least and at most.
 */
import type { ChargeTerms } from "./catalogue.ts";
import {
  type Day,
  type Instant,
  instantOf,
  isoOfDay,
  localDay,
  type Period,
  periodOf,
  roundedQuotient,
  startOfDay,
} from "./days.ts";
import { demand } from "./demand.ts";
import type { Fee } from "./documents.ts";
import type { Held } from "./held.ts";
import { isEndUnbilled } from "./model/world.ts";
import { SWITCHES } from "./switches.ts";
import { allTerms, anchorOf } from "./terms.ts";
import type { SentEvent, World } from "./world.ts";

/** Prorated units are rounded up here. */
const SCALE = 100_000n;

/** What waits for an operator: the refund of a fee on no invoice that was paid. */
export type FeeRefund = { readonly feeId: string; readonly cents: number };

type Seats = {
  readonly world: World;
  readonly events: readonly SentEvent[];
  readonly fees: readonly Fee[];
  readonly refunds: readonly FeeRefund[];
};

type Charged = { readonly charged: readonly Fee[]; readonly refunds: readonly FeeRefund[] };

export function checkSeats(world: World, held: readonly Held[], { charged, refunds }: Charged): void {
  if (world.hasDeletedSeats) return;
  const [line] = held;
  // What came before the first subscription under an id is of none.
  const since = Math.min(...held.map(({ startedAt }) => startedAt));
  const events = world.events.filter(
    ({ metric, subscription, at }) => metric === "seats" && subscription === line?.life.externalId && at >= since,
  );
  const fees = charged.filter(({ item }) => item.code === "seats");
  const seats = { world, events, fees, refunds };
  const today = localDay(world.now, world.zone);
  for (const one of held) {
    const anchor = anchorOf(one.life, "charges");
    for (
      let period = periodOf(anchor, one.first);
      period.end <= today && period.first < (one.end ?? today);
      period = periodOf(anchor, period.end)
    ) {
      const within = held.filter((other) => other.first < period.end && (other.end ?? period.end) > period.first);
      const isAlone = within.length === 1 && held.filter(({ first }) => first === one.first).length === 1;
      const isUnclear = within.some(
        ({ life, startedAt }) => life.previous && events.some(({ at }) => at === startedAt),
      );
      if (isUnclear && !SWITCHES.changeInTheSameSecond) continue;
      // In arrears nothing is billed of a period in which such an end was.
      if (within.some(({ life, end }) => isEndUnbilled(life) && (end ?? 0) <= period.end + 1)) continue;
      if (isAlone) checkWhole(seats, one, period);
      else if (within[0] === one) checkShared(seats, within, period);
    }
  }
}

/** The charge that a plan has; undefined if it has none or another price by now, which other checks look at. */
function chargeOf(world: World, { life }: Held): ChargeTerms | undefined {
  const charges = allTerms(world, life).flatMap((terms) => terms.charges.filter(({ metric }) => metric === "seats"));
  return charges.every(({ price }) => price === charges[0]?.price) ? charges[0] : undefined;
}

const unitsBefore = ({ events }: Seats, at: Instant): number =>
  events.filter((event) => event.at < at).reduce((sum, { value }) => sum + value, 0);

/** By the end of a local day. */
const unitsOn = ({ events, world }: Seats, day: Day, until: Instant): number =>
  events.filter(({ at }) => localDay(at, world.zone) <= day && at < until).reduce((sum, { value }) => sum + value, 0);

const feesIn = ({ fees, world }: Seats, { subscription }: Held, { first, end }: Period): Fee[] =>
  fees.filter((fee) => {
    const day = localDay(instantOf(fee.from_date ?? ""), world.zone);
    return (
      fee.svc_subscription_id === subscription.svc_id &&
      fee.svc_true_up_parent_fee_id === null &&
      day >= first &&
      day < end
    );
  });

const sumOf = (fees: readonly Fee[]): number => fees.reduce((sum, fee) => sum + fee.amount_cents, 0);

/** price x (units x days / length, rounded up), in cents. */
function prorated(price: string, unitDays: number, length: number): number {
  const scaled = BigInt(Math.max(0, unitDays)) * SCALE;
  const units = (scaled + BigInt(length) - 1n) / BigInt(length);
  return roundedQuotient(BigInt(price) * units, SCALE);
}

function checkWhole(seats: Seats, held: Held, period: Period): void {
  const { world } = seats;
  const charge = chargeOf(world, held);
  const fees = feesIn(seats, held, period);
  if (!charge) return;
  const opens = startOfDay(period.first, world.zone);
  const until = Math.min(startOfDay(period.end, world.zone), held.endedAt ?? Number.POSITIVE_INFINITY);
  const isUnclear = seats.events.some(({ at }) => at === opens || at === until || at === held.startedAt);
  if (isUnclear || held.endsAtMidnight || isPaidBefore(seats, held, opens)) return;
  world.session.stage.note(`checked: periods of seats ${charge.isInAdvance ? "in advance" : "in arrears"}`);
  const expected = charge.isInAdvance
    ? requestedInAdvance(seats, held, { period, charge, opens, until })
    : requestedInArrears(seats, held, { period, charge, opens, until });
  if (expected === undefined) return;
  const about = () => ({
    held,
    charge,
    days: [isoOfDay(period.first), isoOfDay(period.end)],
    length: period.length,
    requested: expected,
    found: sumOf(fees),
    fees: fees.map(brief),
    events: seats.events,
  });
  demand("seatsFee", sumOf(fees) === expected, about);
}

/** A plan that is replaced on the first day of a period may have been paid for that period: only what goes beyond it is billed then. */
function isPaidBefore({ world }: Seats, { life, startedAt }: Held, opens: Instant): boolean {
  if (life.origin !== "upgrade" || life.previous === null) return false;
  if (localDay(startedAt, world.zone) !== localDay(opens, world.zone)) return false;
  return allTerms(world, life.previous).some(({ charges }) =>
    charges.some(({ metric, isInAdvance }) => metric === "seats" && isInAdvance),
  );
}

type Window = { period: Period; charge: ChargeTerms; opens: Instant; until: Instant };

function requestedInArrears(seats: Seats, held: Held, { period, charge, until }: Window): number {
  if (!charge.isProrated) return prorated(charge.price, unitsBefore(seats, until), 1);
  let unitDays = 0;
  for (let day = Math.max(period.first, held.first); day < Math.min(period.end, held.end ?? period.end); day++)
    unitDays += unitsOn(seats, day, until);
  return prorated(charge.price, unitDays, period.length);
}

/** Undefined: what a subscription owes for what was there before it began is not defined by the rules. */
function requestedInAdvance(seats: Seats, held: Held, { period, charge, opens, until }: Window): number | undefined {
  const { world } = seats;
  const isRenewed = held.startedAt < opens;
  const carried = unitsBefore(seats, Math.max(opens, held.startedAt));
  if (!isRenewed && carried !== 0) return undefined;
  let [current, most, total] = [carried, carried, isRenewed ? prorated(charge.price, carried, 1) : 0];
  for (const { at, value } of seats.events.filter(
    (event) => event.at >= Math.max(opens, held.startedAt) && event.at < until,
  )) {
    current += value;
    const added = Math.max(0, current - most);
    most = Math.max(most, current);
    const days = charge.isProrated ? period.end - localDay(at, world.zone) : 1;
    total += prorated(charge.price, added * days, charge.isProrated ? period.length : 1);
  }
  return total;
}

/** Plans of one interval that follow each other within a period. */
function checkShared(seats: Seats, within: readonly Held[], period: Period): void {
  const { world } = seats;
  const terms = within.flatMap(({ life }) => allTerms(world, life));
  const charges = terms.flatMap(({ charges: all }) => all.filter(({ metric }) => metric === "seats"));
  const isOneRhythm = within.every(({ life }) => {
    const own = periodOf(anchorOf(life, "charges"), period.first);
    return own.first === period.first && own.end === period.end;
  });
  // A subscription that ends keeps the seats it was paid for; one that starts later is another sale.
  const isOneSale = new Set(within.map(({ life }) => String(life.subscriptionAt))).size === 1;
  if (!isOneRhythm || !isOneSale || charges.length === 0) return;
  const until = startOfDay(period.end, world.zone);
  const days = Array.from({ length: period.length }, (_, index) => unitsOn(seats, period.first + index, until));
  const inTime = seats.events.filter(({ at }) => localDay(at, world.zone) >= period.first && at <= until);
  const opening = unitsBefore(seats, startOfDay(period.first, world.zone));
  let [running, most] = [opening, opening];
  for (const { value } of inTime) {
    running += value;
    most = Math.max(most, running);
  }
  const fees = within.flatMap((held) => feesIn(seats, held, period));
  const ids = new Set(fees.map(({ svc_id }) => svc_id));
  const returned = returnedOf(world, ids, false);
  const invoices = world.documents.invoices.filter((invoice) => invoice.fees.some(({ svc_id }) => ids.has(svc_id)));
  const coupons = invoices.map((one) => [one.number, one.status, one.fees_amount_cents, one.coupons_amount_cents]);
  // Of what a coupon paid whole, nothing comes back.
  if (invoices.some((one) => one.fees_amount_cents === one.coupons_amount_cents)) return;
  // What was credited by hand, or refunded of a fee on no invoice, cannot come back once more.
  const refunded = sumOf(fees.filter(({ payment_status }) => payment_status === "refunded")) + owedBack(seats, ids);
  const [net, byHand] = [sumOf(fees) - returned, returnedOf(world, ids, true) + refunded];
  const prices = charges.map(({ price }) => Number(price));
  const atMost = Math.max(...prices) * Math.max(most, 0) + fees.length + 1;
  const about = () => ({
    within,
    charges,
    days: [isoOfDay(period.first), isoOfDay(period.end)],
    net,
    coupons,
    returned,
    byHand,
    atMost,
    most,
    units: days,
    fees: fees.map(brief),
    events: seats.events,
  });
  world.session.stage.note("checked: periods of seats with changes");
  demand("seatsBilledTwice", net - byHand <= atMost, about);
  checkLeast(seats, within, { period, net, days, about });
}

/** What an operator is asked to refund of fees that were paid, without taxes. */
const owedBack = ({ refunds, world }: Seats, ids: ReadonlySet<string>): number =>
  refunds
    .filter(({ feeId }) => ids.has(feeId))
    .reduce((sum, { cents }) => sum + (100 * cents) / (100 + world.setting.taxRate), 0);

/** What came back of fees, by itself or by hand. */
const returnedOf = ({ documents, ownNotes }: World, ids: ReadonlySet<string>, isByHand: boolean): number =>
  documents.notes
    .filter(({ svc_id }) => ownNotes.has(svc_id) === isByHand)
    .flatMap(({ items }) => items.filter((item) => ids.has(item.fee.svc_id)))
    .reduce((sum, { amount_cents }) => sum + amount_cents, 0);

type Shared = { period: Period; net: number; days: readonly number[]; about: () => object };

/** Where every plan charges for seats, and nothing was there before the first one began: at least the least on every day. */
function checkLeast(seats: Seats, within: readonly Held[], { period, net, days, about }: Shared): void {
  const { world } = seats;
  const charges = within.map((held) => chargeOf(world, held));
  const [first] = within;
  const last = within.at(-1);
  if (!first || !last || charges.some((charge) => charge === undefined)) return;
  // A plan that ends in the instant in which it replaced another has no usage to bill: only a test clock can stand still so long.
  if (last.startedAt === last.endedAt) return;
  const isLinked = within.every((held, index) => index === within.length - 1 || held.isSucceeded);
  const isCarried =
    first.startedAt >= startOfDay(period.first, world.zone) && unitsBefore(seats, first.startedAt + 1) !== 0;
  if (!isLinked || (isCarried && !isTakenOver(seats, first))) return;
  const held = days.slice(
    Math.max(0, first.first - period.first),
    Math.min(period.length, (last.end ?? period.end) - period.first),
  );
  if (held.length < 2) return;
  // The last day of an end without successor counts what came before it.
  const least = Math.max(0, Math.min(...held.slice(0, -1)));
  const price = Math.min(...charges.map((charge) => Number(charge?.price ?? 0)));
  const atLeast = Math.floor((price * least * Math.max(0, held.length - 1)) / period.length) - 2;
  demand("seatsNotBilled", net >= atLeast, () => ({ ...about(), atLeast }));
}

/** What is there when a plan takes over on a boundary is billed as with a renewal, if the plan before it charged for it, too. */
function isTakenOver({ world }: Seats, { life, startedAt, first }: Held): boolean {
  const charged = life.previous
    ? allTerms(world, life.previous).some(({ charges }) => charges.some(({ metric }) => metric === "seats"))
    : false;
  const isAtOnce = startOfDay(first, world.zone) === startedAt;
  // A plan that is replaced in the instant in which it begins has billed nothing, and nothing of it is taken over.
  const hasLasted = life.previous?.begun ? instantOf(life.previous.begun.at) < startedAt : false;
  return charged && isAtOnce && hasLasted;
}

const brief = ({
  amount_cents,
  units,
  from_date,
  to_date,
  svc_subscription_id,
  svc_invoice_id,
  event_transaction_id,
}: Fee) => ({
  amount_cents,
  units,
  from_date,
  to_date,
  svc_subscription_id,
  svc_invoice_id,
  event_transaction_id,
});
