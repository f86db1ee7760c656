/** Every event is counted once, or listed with its reason; fees are what this campaign computes from the events. */
import { type Held, heldOnes } from "./account-fees.ts";
import { checkSeats } from "./account-seats.ts";
import type { ChargeTerms, MetricCode } from "./catalogue.ts";
import { type Instant, instantOf, localDay, periodOf, roundedQuotient, startOfDay } from "./days.ts";
import { demand } from "./demand.ts";
import type { Fee, Invoice } from "./documents.ts";
import { SWITCHES } from "./switches.ts";
import { anchorOf, termsInForce, versionsOf } from "./terms.ts";
import type { SentEvent, World } from "./world.ts";

type SeenEvent = { transaction_id: string; status: string; reason: string | null; svc_fee_ids: string[] };
type Billed = { readonly fee: Fee; readonly invoice: Invoice | undefined };
type Seen = { readonly events: ReadonlyMap<string, SeenEvent>; readonly fees: ReadonlyMap<string, Billed> };

export async function checkUsage(world: World): Promise<void> {
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
  const lost = world.events.filter(({ transactionId }) => !seen.events.has(transactionId));
  demand("eventLost", lost.length === 0, () => lost);
  const held = heldOnes(world);
  for (const one of held) checkCalls(world, one, seen);
  checkJobs(world, held, seen);
  checkSeats(
    world,
    held,
    billed.map(({ fee }) => fee),
  );
}

const covers = ({ startedAt, endedAt }: Held, at: Instant): boolean =>
  at >= startedAt && (endedAt === undefined || at < endedAt);

/** The window of usage that an instant is in. */
function windowOf(world: World, held: Held, at: Instant): { from: Instant; to: Instant } {
  const { first, end } = periodOf(anchorOf(world, held.subscription), localDay(at, world.zone));
  return {
    from: Math.max(startOfDay(first, world.zone), held.startedAt),
    to: Math.min(startOfDay(end, world.zone), held.endedAt ?? Number.POSITIVE_INFINITY),
  };
}

const chargesOn = (world: World, held: Held, { metric, at }: { metric: MetricCode; at: Instant }): ChargeTerms[] =>
  termsInForce(world, held.subscription.plan_code, at).flatMap(({ charges }) =>
    charges.filter((one) => one.metric === metric),
  );

/** Of edits made while the invoice was a draft. */
const laterCharges = (world: World, { subscription }: Held, finalizedAt: number | undefined): ChargeTerms[] =>
  versionsOf(world, subscription.plan_code)
    .filter(({ step }) => step <= (finalizedAt ?? world.step))
    .flatMap(({ terms }) => terms.charges.filter(({ metric }) => metric === "calls"));

/** A price in cents with up to four decimals, times whole units. */
const priced = (price: string, units: number): number => {
  const [whole = "0", decimals = ""] = price.split(".");
  return roundedQuotient(BigInt(`${whole}${decimals.padEnd(4, "0")}`) * BigInt(units), 10_000n);
};

/** In arrears: the fee of a window is the price of what was sent for it before its invoice was final. */
function checkCalls(world: World, held: Held, seen: Seen): void {
  const own = world.events.filter(({ metric, at }) => metric === "calls" && covers(held, at));
  const windows = Map.groupBy(own, ({ at }) => windowOf(world, held, at).to);
  for (const [to, sent] of windows) if (to <= world.now) checkWindow(world, held, { to, sent, seen });
}

type CallsWindow = { to: Instant; sent: readonly SentEvent[]; seen: Seen };

function checkWindow(world: World, held: Held, { to, sent, seen }: CallsWindow): void {
  const [first] = sent;
  if (!first) return;
  const { from } = windowOf(world, held, first.at);
  const fees = [...seen.fees.values()].filter(
    ({ fee }) =>
      fee.item.code === "calls" &&
      fee.svc_subscription_id === held.subscription.svc_id &&
      fee.svc_true_up_parent_fee_id === null &&
      instantOf(fee.from_date ?? "") >= from &&
      instantOf(fee.from_date ?? "") < to,
  );
  const invoice = fees[0]?.invoice;
  const finalizedAt = world.finalizedAt.get(invoice?.svc_id ?? "");
  const charges = [
    ...chargesOn(world, held, { metric: "calls", at: to }),
    ...(SWITCHES.draftsKeepTheirPrices ? [] : laterCharges(world, held, finalizedAt)),
  ];
  // A draft is made again until it is final; what comes later is late.
  const inTime = sent.filter(({ step, sentAt }) => (finalizedAt === undefined ? sentAt < to : step < finalizedAt));
  const isBetween = sent.some(({ sentAt }) => sentAt === to);
  const units = Math.max(
    0,
    inTime.reduce((sum, { value }) => sum + value, 0),
  );
  const wanted = charges.map(({ price }) => priced(price, units));
  const amount = fees.reduce((sum, { fee }) => sum + fee.amount_cents, 0);
  const about = () => ({
    held: held.subscription,
    from,
    to,
    sent,
    units,
    wanted,
    amount,
    fees: fees.map(({ fee }) => fee),
    invoice: invoice?.number,
  });
  demand("callsBilledTwice", fees.length <= 1, about);
  if (charges.length === 0) demand("callsWithoutCharge", amount === 0, about);
  else if (!isBetween && (finalizedAt !== undefined || fees.length === 0)) {
    world.session.stage.note("checked: windows of calls");
    demand("callsFee", wanted.includes(amount), about);
  }
  for (const { transactionId } of inTime) {
    const event = seen.events.get(transactionId);
    if (invoice?.status === "finalized")
      demand("callsNotBilled", event?.status === "billed", () => ({ ...about(), event }));
  }
}

const keyOf = (world: World, { subscription }: Held, at: Instant): string =>
  `${subscription.svc_id} ${periodOf(anchorOf(world, subscription), localDay(at, world.zone)).first}`;

/** In advance: each event has one fee, for what it adds to the most that its period had. */
function checkJobs(world: World, held: readonly Held[], { fees }: Seen): void {
  const byEvent = Map.groupBy([...fees.values()], ({ fee }) =>
    fee.item.code === "jobs" ? (fee.event_transaction_id ?? "none") : "",
  );
  const states = new Map<string, { current: number; max: number; isUnclear: boolean }>();
  // What happens at the very instant at which a subscription begins or ends is of either one.
  const edges = new Set(held.flatMap(({ startedAt, endedAt }) => [startedAt, endedAt]));
  const isAtEdge = ({ at, sentAt }: SentEvent): boolean => edges.has(at) || edges.has(sentAt);
  for (const sent of world.events.filter((event) => event.metric === "jobs")) {
    const holder = held.find((one) => covers(one, sent.at) && one.startedAt <= sent.sentAt);
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
    // What a period is worth that begins with a correction is not told by the rules.
    if (state.current < 0) state.isUnclear = true;
    const added = Math.max(0, state.current - state.max);
    state.max = Math.max(state.max, state.current);
    if (state.isUnclear) continue;
    const wanted = charges.map(({ price }) => priced(price, added));
    const [billed] = own;
    if (!billed) {
      demand("jobNotBilled", world.deletedFees.size > 0, about);
      continue;
    }
    world.session.stage.note("checked: jobs");
    demand("jobFee", wanted.includes(billed.fee.amount_cents), () => ({ ...about(), state, added, wanted }));
  }
}
