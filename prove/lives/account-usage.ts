/** Every event is counted once, or listed with its reason; fees are what this campaign computes from the events. */
import { checkSeatsAlone } from "./account-alone.ts";
import { checkSeats, type FeeRefund } from "./account-seats.ts";
import type { ChargeTerms, MetricCode } from "./catalogue.ts";
import { type Instant, instantOf } from "./days.ts";
import { demand } from "./demand.ts";
import { type Fee, type Invoice, minorOf } from "./documents.ts";
import { type Held, heldOnes } from "./held.ts";
import { periodsOf } from "./model/periods.ts";
import { isEndUnbilled } from "./model/world.ts";
import type { Parked } from "./parked.ts";
import { priced } from "./prices.ts";
import { SWITCHES } from "./switches.ts";
import { nowIn, termsInForce } from "./terms.ts";
import type { SentEvent, World } from "./world.ts";

type SeenEvent = { transaction_id: string; status: string; reason: string | null; svc_fee_ids: string[] };
type Billed = { readonly fee: Fee; readonly invoice: Invoice | undefined };
type Seen = { readonly events: ReadonlyMap<string, SeenEvent>; readonly fees: ReadonlyMap<string, Billed> };

export async function checkUsage(world: World, parked: readonly Parked[]): Promise<void> {
  const { events } = await world.session.must<{ events: SeenEvent[] }>("GET", "/events?per_page=1000");
  const { invoices, alone } = world.documents;
  const billed: Billed[] = [
    ...alone.map((fee) => ({ fee, invoice: undefined })),
    ...invoices.flatMap((invoice) => invoice.fees.map((fee) => ({ fee, invoice }))),
  ].filter(({ fee }) => fee.item.type === "charge");
  const seen = {
    events: new Map(events.map((event) => [event.transaction_id, event])),
    fees: new Map(billed.map((one) => [one.fee.svc_id, one])),
  };
  const unclear = events.filter((event) => !isOneStatus(event));
  demand("eventStatus", unclear.length === 0, () => unclear);
  const fees = billed.filter(({ invoice }) => invoice?.status === "finalized").map(({ fee }) => fee);
  checkNamed(events, fees);
  const lost = world.events.filter(({ transactionId }) => !seen.events.has(transactionId));
  demand("eventLost", lost.length === 0, () => lost);
  const large = world.tooLarge.map(({ transactionId }) => seen.events.get(transactionId));
  demand(
    "tooLargeButBilled",
    large.every((event) => event?.status !== "billed" && event?.svc_fee_ids.length === 0),
    () => large,
  );
  const held = heldOnes(world);
  for (const one of held) checkCalls(world, one, seen);
  const charged = billed.map(({ fee }) => fee);
  const refunds = refundsIn(parked, world.session.exponent);
  checkSeatsAlone(world, held, refunds);
  for (const line of Map.groupBy(held, ({ life }) => life.externalId).values()) {
    checkJobs(world, line, seen);
    if (line.every(({ isPlain }) => isPlain)) checkSeats(world, line, { charged, refunds });
  }
}

function isOneStatus({ status, reason, svc_fee_ids: ids }: SeenEvent): boolean {
  if (status === "not_billed") return typeof reason === "string" && ids.length === 0;
  return (
    reason === null && (status === "open" ? ids.length === 0 : status === "billed" && new Set(ids).size === ids.length)
  );
}

/** A fee for calls counts the events that name it. */
function checkNamed(events: readonly SeenEvent[], fees: readonly Fee[]): void {
  const naming = Map.groupBy(
    events.flatMap(({ svc_fee_ids }) => svc_fee_ids),
    (id) => id,
  );
  const wrong = fees.filter(
    ({ svc_id, item, events_count, svc_true_up_parent_fee_id: parent }) =>
      item.code === "calls" && parent === null && (naming.get(svc_id)?.length ?? 0) !== (events_count ?? 0),
  );
  demand("eventsOfFee", wrong.length === 0, () => ({ wrong, events }));
}

/** The amount is in the words for the operator. */
const refundsIn = (parked: readonly Parked[], exponent: number): FeeRefund[] =>
  parked
    .filter(({ kind }) => kind === "fee_refund")
    .map(({ object, reason }) => ({
      feeId: object.svc_id,
      cents: minorOf(/^Refund ([\d.]+)/.exec(reason)?.[1] ?? "0", exponent),
    }));

const covers = ({ startedAt, endedAt, life }: Held, { at, subscription }: SentEvent): boolean =>
  subscription === life.externalId && at >= startedAt && (endedAt === undefined || at < endedAt);

type UsageWindow = { readonly from: Instant; readonly to: Instant };

/** The windows of usage of a subscription, up to the one that is open. */
const windowsOf = (world: World, { life, startedAt, endedAt }: Held): UsageWindow[] =>
  periodsOf(world.model, life, nowIn(world)).charges.map(({ from, to }) => ({
    from: Math.max(instantOf(from), startedAt),
    to: Math.min(instantOf(to), endedAt ?? Number.POSITIVE_INFINITY),
  }));

const windowAt = (world: World, held: Held, at: Instant): UsageWindow | undefined =>
  windowsOf(world, held).find(({ from, to }) => at >= from && at < to);

const chargesOn = (world: World, held: Held, { metric, at }: { metric: MetricCode; at: Instant }): ChargeTerms[] =>
  termsInForce(world, held.life, at).flatMap(({ charges }) => charges.filter((one) => one.metric === metric));

/** In arrears: the fee of a window is the price of what was sent for it before its invoice was final. */
function checkCalls(world: World, held: Held, seen: Seen): void {
  const own = world.events.filter((event) => event.metric === "calls" && covers(held, event));
  const windows = windowsOf(world, held);
  for (const { from, to } of windows) {
    const sent = own.filter(({ at }) => at >= from && at < to);
    if (sent.length === 0 || to > world.now) continue;
    const isUnbilled = isEndUnbilled(held.life) && from === windows.at(-1)?.from;
    if (isUnbilled) checkUnbilled(world, held, { from, to, sent, seen });
    else checkWindow(world, held, { from, to, sent, seen });
  }
}

type CallsWindow = UsageWindow & { sent: readonly SentEvent[]; seen: Seen };

const feesOf = ({ subscription }: Held, { from, to, seen }: CallsWindow): Billed[] =>
  [...seen.fees.values()].filter(
    ({ fee }) =>
      fee.item.code === "calls" &&
      fee.svc_subscription_id === subscription.svc_id &&
      fee.svc_true_up_parent_fee_id === null &&
      instantOf(fee.from_date ?? "") >= from &&
      instantOf(fee.from_date ?? "") < to,
  );

/** It was agreed that the end makes no invoice: nothing of its window is billed, and its events say so. */
function checkUnbilled(world: World, held: Held, window: CallsWindow): void {
  const fees = feesOf(held, window);
  const events = window.sent.map(({ transactionId }) => window.seen.events.get(transactionId));
  const about = () => ({ held: held.subscription, events, fees });
  world.session.stage.note("checked: ends without an invoice");
  demand("unbilledEndBilled", fees.length === 0, about);
  const isCharged = chargesOn(world, held, { metric: "calls", at: window.to }).length > 0;
  const reason = isCharged ? "skipped_at_end" : "no_charge";
  demand(
    "unbilledEndNotSaid",
    events.every((event) => event?.status === "not_billed" && (event.reason === reason || !isCharged)),
    about,
  );
}

function checkWindow(world: World, held: Held, window: CallsWindow): void {
  const { from, to, sent, seen } = window;
  const fees = feesOf(held, window);
  const invoice = fees[0]?.invoice;
  const finalizedAt = world.finalizedAt.get(invoice?.svc_id ?? "");
  const applied = world.appliedToDrafts.get(invoice?.svc_id ?? "")?.get(held.life);
  const charges = applied
    ? applied.charges.filter(({ metric }) => metric === "calls")
    : chargesOn(world, held, { metric: "calls", at: to });
  // A draft is recomputed until it is final; what comes later is late.
  const inTime = sent.filter(({ step, sentAt }) => (finalizedAt === undefined ? sentAt < to : step < finalizedAt));
  const isBetween = sent.some(({ sentAt }) => sentAt === to) || world.unclearDrafts.has(invoice?.svc_id ?? "");
  const units = Math.max(
    0,
    inTime.reduce((sum, { value }) => sum + value, 0),
  );
  const expected = charges.map((charge) => priced(charge, { units, events: inTime.length }, world.setting.currency));
  const amount = fees.reduce((sum, { fee }) => sum + fee.amount_cents, 0);
  const about = () => ({
    held: held.subscription,
    from,
    to,
    sent,
    units,
    expected,
    amount,
    fees: fees.map(({ fee }) => fee),
    invoice: invoice?.number,
  });
  demand("callsBilledTwice", fees.length <= 1, about);
  if (charges.length === 0) demand("callsWithoutCharge", amount === 0, about);
  else if (!isBetween && (finalizedAt !== undefined || fees.length === 0)) {
    world.session.stage.note("checked: windows of calls");
    for (const { model } of charges) if (amount > 0) world.session.stage.note(`checked: prices by ${model}`);
    demand("callsFee", expected.includes(amount), about);
  }
  for (const { transactionId } of inTime) {
    const event = seen.events.get(transactionId);
    if (invoice?.status === "finalized")
      demand("callsNotBilled", event?.status === "billed", () => ({ ...about(), event }));
  }
}

const keyOf = (world: World, held: Held, at: Instant): string =>
  `${held.subscription.svc_id} ${windowAt(world, held, at)?.from}`;

/** In advance: each event has one fee, for what it adds to the most that its period had. */
function checkJobs(world: World, held: readonly Held[], { fees }: Seen): void {
  const byEvent = Map.groupBy([...fees.values()], ({ fee }) =>
    fee.item.code === "jobs" ? (fee.event_transaction_id ?? "none") : "",
  );
  const states = new Map<string, { current: number; max: number; isUnclear: boolean }>();
  // What happens at the very instant at which a subscription begins or ends is of either one.
  const edges = new Set(
    held.flatMap(({ startedAt, endedAt, subscription }) => [startedAt, endedAt, instantOf(subscription.created_at)]),
  );
  const isAtEdge = ({ at, sentAt }: SentEvent): boolean => edges.has(at) || edges.has(sentAt);
  const [first] = held;
  const events = world.events.filter(
    ({ metric, subscription }) => metric === "jobs" && subscription === first?.life.externalId,
  );
  for (const sent of events) {
    // What was over at a start in the past is not billed, nor what was sent before the subscription was made.
    const holder = held.find(
      (one) =>
        covers(one, sent) &&
        Math.max(one.startedAt, instantOf(one.subscription.created_at)) <= sent.sentAt &&
        windowAt(world, one, sent.at) !== undefined,
    );
    const own = byEvent.get(sent.transactionId) ?? [];
    const charges = holder ? chargesOn(world, holder, { metric: "jobs", at: sent.sentAt }) : [];
    const about = () => ({ sent, holder: holder?.subscription, own: own.map(({ fee }) => fee), charges });
    demand("jobBilledTwice", own.length <= 1, about);
    if (isAtEdge(sent)) {
      for (const one of held) states.set(keyOf(world, one, sent.at), { current: 0, max: 0, isUnclear: true });
      continue;
    }
    if (!holder || charges.length === 0) {
      demand("jobWithoutCharge", own.length === 0, about);
      continue;
    }
    const key = keyOf(world, holder, sent.at);
    const state = states.get(key) ?? { current: 0, max: 0, isUnclear: false };
    states.set(key, state);
    state.current += sent.value;
    const isLate = holder.endedAt !== undefined && sent.sentAt >= holder.endedAt;
    if (isLate && !SWITCHES.lateEventsOfAnEnd) state.isUnclear = true;
    // What a period is worth that begins with a correction is not defined by the rules.
    if (state.current < 0) state.isUnclear = true;
    const added = Math.max(0, state.current - state.max);
    state.max = Math.max(state.max, state.current);
    if (state.isUnclear) continue;
    const expected = charges.map((charge) => priced(charge, { units: added, events: 1 }, world.setting.currency));
    const [billed] = own;
    if (!billed) {
      demand("jobNotBilled", world.deletedFees.size > 0, about);
      continue;
    }
    world.session.stage.note("checked: jobs");
    demand("jobFee", expected.includes(billed.fee.amount_cents), () => ({ ...about(), state, added, expected }));
  }
}
