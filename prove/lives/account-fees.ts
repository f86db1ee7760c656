/**
 * Every day of a life is billed once, by the plan that holds it, net of what came back: subscription fees worked out from dates alone. The
 * windows of the model's bills tile the life of each subscription; each has its fee, and no fee is without one.
 */

import { instantOf, roundedQuotient } from "./days.ts";
import { demand } from "./demand.ts";
import type { Fee, Invoice } from "./documents.ts";
import { type Held, heldOnes } from "./held.ts";
import { type Bill, billsOf, type Window } from "./model/bills.ts";
import { addDays, countDays, dayAt, earlierOf, laterOf } from "./model/calendar.ts";
import { termsInForce } from "./terms.ts";
import type { LockedTerms, World } from "./world.ts";

type Billed = { readonly fee: Fee; readonly invoice: Invoice };

export function checkSubscriptionFees(world: World): void {
  const billed = world.documents.invoices.flatMap((invoice) =>
    invoice.fees.filter((fee) => fee.item.type === "subscription").map((fee) => ({ fee, invoice })),
  );
  for (const held of heldOnes(world)) {
    const own = billed.filter(({ fee }) => fee.svc_subscription_id === held.subscription.svc_id);
    checkOne(world, held, own);
  }
}

function checkOne(world: World, held: Held, own: readonly Billed[]): void {
  const bills = billsOf(world.model, held.life).filter(({ fee }) => fee);
  const isOf = ({ fee: window }: Bill, { fee }: Billed): boolean => fee.from_date === window?.from;
  const strays = own.filter((one) => !bills.some((bill) => isOf(bill, one)));
  demand("feeOfNoPeriod", strays.length === 0, () => ({ held, bills: bills.map(brief), strays: strays.map(inShort) }));
  for (const bill of bills) {
    const found = own.filter((one) => isOf(bill, one));
    if (bill.fee) checkBill(world, held, { bill, window: bill.fee, found });
  }
}

type Checked = { bill: Bill; window: Window; found: readonly Billed[] };

/** Of edits that were applied to a draft, the last one counts; otherwise what was in force when it was billed. */
function pricesFor(world: World, { life }: Held, { bill, found }: Checked): readonly LockedTerms[] {
  const applied = found[0] && world.appliedToDrafts.get(found[0].invoice.svc_id)?.get(life);
  return applied ? [applied] : termsInForce(world, life, instantOf(bill.at));
}

function checkBill(world: World, held: Held, checked: Checked): void {
  const { bill, window, found } = checked;
  const days = Math.max(0, countDays(window.firstDay, window.lastDay) - (window.freeDays ?? 0));
  const expected = pricesFor(world, held, checked).map(({ amount }) =>
    roundedQuotient(BigInt(amount) * BigInt(days), BigInt(window.periodDays)),
  );
  const about = () => ({ held, bill: brief(bill), days, requested: expected, found: found.map(inShort) });
  if (found.length === 0) {
    demand("periodNotBilled", expected.includes(0), about);
    return;
  }
  demand("periodBilledTwice", found.length === 1, about);
  if (found.some(({ invoice }) => world.unclearDrafts.has(invoice.svc_id))) return;
  demand(
    "subscriptionFee",
    found.every(({ fee }) => expected.includes(fee.amount_cents)),
    about,
  );
  if (!world.hadGrace && !world.hasMoved)
    demand(
      "issuedOn",
      found.every(({ invoice }) => invoice.issuing_date === dayAt(bill.at, world.zone)),
      about,
    );
  world.session.stage.note(`checked: periods in ${held.life.plan.isInAdvance ? "advance" : "arrears"}`);
  for (const billed of held.life.plan.isInAdvance ? found : []) checkReturned(world, held, { billed, window, days });
}

/** Days after the end that come back; the day of an upgrade belongs to what follows. */
function unusedDays({ life: { end, moves, begun, atEnd } }: Held, { firstDay, lastDay, to }: Window): number {
  if (!end || end.at >= to || (end.cause === "ended" && atEnd.creditNote === "skip")) return 0;
  const zone = moves.at(-1)?.zone ?? begun?.zone ?? "UTC";
  const day = laterOf(dayAt(end.at, zone), firstDay);
  return countDays(end.cause === "upgraded" ? earlierOf(day, lastDay) : addDays(day, 1), lastDay);
}

type Returned = { billed: Billed; window: Window; days: number };

/** A period that is paid in advance: what is not used comes back, less what was credited by hand. */
function checkReturned(world: World, held: Held, { billed: { fee, invoice }, window, days }: Returned): void {
  const items = world.documents.notes.flatMap((note) =>
    note.items
      .filter((item) => item.fee.svc_id === fee.svc_id)
      .map((item) => ({ isOwn: world.ownNotes.has(note.svc_id), cents: item.amount_cents })),
  );
  const sumOf = (isOwn: boolean) =>
    items.filter((item) => item.isOwn === isOwn).reduce((sum, item) => sum + item.cents, 0);
  const [byHand, byItself] = [sumOf(true), sumOf(false)];
  const unused = Math.min(unusedDays(held, window), days);
  const about = () => ({ held, fee, unused, days, window, byHand, byItself, invoice: invoice.status });
  demand("creditedTooMuch", byHand + byItself <= fee.amount_cents, about);
  if (unused === 0) demand("returnedForNothing", byItself === 0, about);
  if (invoice.status !== "finalized" || invoice.sub_total_excluding_taxes_amount_cents === 0) return;
  // A coupon for the plan alone may have paid the whole fee: of that nothing comes back.
  if (invoice.coupons_amount_cents >= fee.amount_cents && fee.amount_cents > 0) return;
  const whole = days === 0 ? 0 : (fee.amount_cents * unused) / days;
  const requested = Math.max(0, whole - handBefore(world, fee));
  if (requested > 0) world.session.stage.note("checked: unused days");
  // The fee and the item are rounded apart. What was credited by hand after the end came on top.
  demand("unusedDaysReturned", Math.abs(byItself - requested) <= 1.5, () => ({ ...about(), requested }));
}

/** What had been credited by hand of a fee before something came back by itself, or until now. */
function handBefore({ documents, ownNotes }: World, fee: Fee): number {
  const notes = documents.notes.filter(({ items }) => items.some((item) => item.fee.svc_id === fee.svc_id));
  const first = notes.filter(({ svc_id }) => !ownNotes.has(svc_id)).map(({ svc_id }) => svc_id);
  const until = first.toSorted()[0];
  return notes
    .filter(({ svc_id }) => ownNotes.has(svc_id) && (until === undefined || svc_id < until))
    .flatMap(({ items }) => items.filter((item) => item.fee.svc_id === fee.svc_id))
    .reduce((sum, item) => sum + item.amount_cents, 0);
}

const brief = ({ reason, at, fee }: Bill) => ({ reason, at, fee });

const inShort = ({ fee, invoice }: Billed) => ({
  amount: fee.amount_cents,
  from: fee.from_date,
  to: fee.to_date,
  invoice: invoice.number,
  status: invoice.status,
});
