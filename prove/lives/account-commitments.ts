/** A minimum commitment: what a period costs in all is at least its share of it, in advance and in arrears alike. */
import { instantOf, isoOfDay, localDay, type Period, periodOf, roundedQuotient, startOfDay } from "./days.ts";
import { demand } from "./demand.ts";
import type { Fee } from "./documents.ts";
import type { Held } from "./held.ts";
import { isEndUnbilled } from "./model/world.ts";
import { allTerms, anchorOf } from "./terms.ts";
import type { World } from "./world.ts";

export function checkCommitments(world: World, held: readonly Held[]): void {
  const { invoices, alone } = world.documents;
  // A draft is recomputed; a fee that was deleted counted or not, by when it was.
  if (world.deletedFees.size > 0 || invoices.some(({ status }) => status === "draft")) return;
  const fees = [...alone, ...invoices.flatMap((invoice) => invoice.fees)];
  const today = localDay(world.now, world.zone);
  for (const one of held.filter(({ isPlain }) => isPlain)) {
    const anchor = anchorOf(one.life, "fee");
    const own = fees.filter((fee) => fee.svc_subscription_id === one.subscription.svc_id && fee.from_date !== null);
    for (
      let period = periodOf(anchor, one.first);
      period.end <= today && period.first < (one.end ?? today);
      period = periodOf(anchor, period.end)
    )
      checkPeriod(world, one, { period, own });
  }
}

function checkPeriod(world: World, held: Held, { period, own }: { period: Period; own: readonly Fee[] }): void {
  const [terms] = allTerms(world, held.life);
  if (!terms || terms.commitment === 0 || held.life.begun?.trial || held.endsAtMidnight) return;
  if (isEndUnbilled(held.life) && (held.end ?? 0) <= period.end) return;
  const closes = Math.min(startOfDay(period.end, world.zone), held.endedAt ?? Number.POSITIVE_INFINITY);
  const opens = startOfDay(period.first, world.zone);
  const isLate = world.events.some(
    ({ at, sentAt }) => (at >= opens && at <= closes && sentAt >= closes) || at === closes || at === held.startedAt,
  );
  if (isLate) return;
  const inPeriod = own.filter((fee) => {
    const day = localDay(instantOf(fee.from_date ?? ""), world.zone);
    return day >= period.first && day < period.end;
  });
  const days = Math.min(period.end, held.end ?? period.end) - Math.max(period.first, held.first);
  const share = roundedQuotient(BigInt(terms.commitment) * BigInt(Math.max(0, days)), BigInt(period.length));
  const used = sumOf(inPeriod.filter(({ item }) => item.type !== "commitment")) - returnedOf(world, inPeriod);
  const trueUp = sumOf(inPeriod.filter(({ item }) => item.type === "commitment"));
  const expected = Math.max(0, share - used);
  world.session.stage.note("checked: commitments");
  // The fee and what comes back of it are rounded apart.
  demand("commitment", Math.abs(trueUp - expected) <= 1, () => ({
    held,
    days: [isoOfDay(period.first), isoOfDay(period.end)],
    commitment: terms.commitment,
    isInAdvance: held.life.plan.isInAdvance,
    share,
    used,
    trueUp,
    requested: expected,
    fees: inPeriod.map(({ item, amount_cents, from_date, to_date }) => ({
      item: [item.type, item.code],
      amount_cents,
      from_date,
      to_date,
    })),
  }));
}

const sumOf = (fees: readonly Fee[]): number => fees.reduce((sum, { amount_cents }) => sum + amount_cents, 0);

/** By itself, not by hand. */
function returnedOf({ documents, ownNotes }: World, fees: readonly Fee[]): number {
  const ids = new Set(fees.map(({ svc_id }) => svc_id));
  return documents.notes
    .filter(({ svc_id }) => !ownNotes.has(svc_id))
    .flatMap(({ items }) => items.filter((item) => ids.has(item.fee.svc_id)))
    .reduce((sum, { amount_cents }) => sum + amount_cents, 0);
}
