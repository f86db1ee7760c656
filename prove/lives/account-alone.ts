/**
 * Seats in advance on no invoice, by the day, when a dearer plan takes over that charges for them in arrears: from that day on they are the
 * new plan's. A fee that was not paid is for the days before the change alone; of one that was, an operator is asked to refund the rest.
 */
import type { FeeRefund } from "./account-seats.ts";
import type { ChargeTerms } from "./catalogue.ts";
import { instantOf } from "./days.ts";
import { demand } from "./demand.ts";
import type { Fee } from "./documents.ts";
import type { Held } from "./held.ts";
import type { Life } from "./model/world.ts";
import { allTerms } from "./terms.ts";
import type { World } from "./world.ts";

export function checkSeatsAlone(world: World, held: readonly Held[], refunds: readonly FeeRefund[]): void {
  const listed = new Set(refunds.map(({ feeId }) => feeId));
  for (const one of held) {
    const next = held.find(({ life }) => life.previous === one.life);
    if (one.life.end?.cause !== "upgraded" || !next || one.endedAt === undefined) continue;
    const [before, after] = [seatsOf(world, one.life), seatsOf(world, next.life)];
    if (!before || before.isInvoiceable || !before.isProrated || !after || after.isInAdvance) continue;
    for (const fee of feesBeyond(world, one))
      checkFee(world, fee, { endedAt: one.endedAt, isListed: listed.has(fee.svc_id) });
  }
}

const seatsOf = (world: World, life: Life): ChargeTerms | undefined =>
  allTerms(world, life)
    .at(-1)
    ?.charges.find(({ metric }) => metric === "seats");

/** Of seats that were there before the change, for days after it. */
const feesBeyond = ({ documents }: World, { subscription, endedAt = 0 }: Held): Fee[] =>
  documents.alone.filter(
    ({ svc_subscription_id, item, from_date, to_date, amount_cents }) =>
      svc_subscription_id === subscription.svc_id &&
      item.code === "seats" &&
      amount_cents > 0 &&
      instantOf(from_date ?? "") < endedAt &&
      instantOf(to_date ?? "") > endedAt,
  );

type Change = { endedAt: number; isListed: boolean };

function checkFee(world: World, fee: Fee, { endedAt, isListed }: Change): void {
  world.session.stage.note("checked: seats on no invoice");
  const about = () => ({ fee, endedAt, isListed });
  // What was paid at some time may have been paid at the change.
  if (!world.paidFees.has(fee.svc_id)) demand("unpaidFeeKeepsDays", false, about);
  const paidAt = fee.payment_status === "succeeded" ? fee.succeeded_at : null;
  if (paidAt && instantOf(paidAt) < endedAt) demand("refundNotListed", isListed, about);
}
