/**
 * Settles standalone fees for days that another plan bills now. An unpaid fee is replaced by one for the days before the change.
 * A paid fee stays and is parked, so that an operator refunds the money.
 */
import { feeTaxes, type UsageFeeDerivation } from "@tallystick/core/invoicing";
import { currency, fraction, minor, minorDigits, roundMinor, roundTo } from "@tallystick/core/money";
import { feeLessDays } from "@tallystick/core/rating";
import type { ReturnedDerivation, Terminated } from "@tallystick/core/subscription";
import { publish } from "../../../jobs/outbox.ts";
import type { Clock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/new-id.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import {
  type ComingBack,
  describeFees,
  type FeeRow,
  findFees,
  findTaxesOfFees,
  parkItem,
  removeAlone,
  saveFees,
} from "../../invoicing/index.ts";

type Alone = ComingBack & { derivation: ReturnedDerivation };

/** The customer is locked. */
export async function settleAlone(
  batch: Batch,
  clock: Clock,
  ended: Terminated,
  coming: readonly ComingBack[],
): Promise<void> {
  const alone = coming.filter((one): one is Alone => one.derivation.type === "returned_days");
  for (const one of alone) {
    if (one.fee.payment_status === "succeeded") await parkRefund(batch, clock, one);
    else if (one.fee.payment_status !== "refunded") await replaceFee(batch, clock, ended, one);
  }
}

async function parkRefund(batch: Batch, clock: Clock, { fee, creditMinor, derivation }: Alone): Promise<void> {
  const taxes = fraction(creditMinor).times(fee.taxes_rate).over(100n);
  const refundMinor = roundMinor(fraction(creditMinor).plus(taxes));
  const digits = minorDigits(currency(fee.currency));
  const amount = roundTo(fraction(refundMinor).over(10n ** BigInt(digits)), digits).toFixed(digits);
  const { firstDay, lastDay } = derivation;
  const item = {
    kind: "fee_refund",
    object: { type: "fee", id: fee.id },
    customerId: fee.customer_id,
    source: "plan_change",
    work: { refundAmountCents: String(refundMinor), currency: fee.currency, ...derivation },
    reason: `Refund ${amount} ${fee.currency} of this fee, taxes included: another plan bills ${firstDay} to ${lastDay}.`,
  } as const;
  await parkItem(batch, fee.organization_id, item, clock.now());
}

async function replaceFee(batch: Batch, clock: Clock, ended: Terminated, { fee, derivation }: Alone): Promise<void> {
  const { organization_id: organizationId, created_at: createdAt } = fee;
  const taxRows = await findTaxesOfFees(batch.tx, organizationId, [fee.id]);
  await removeAlone(batch, fee, { at: ended.terminatedAt, now: clock.now() });
  const billed = fee.derivation as Pick<UsageFeeDerivation, "fee">;
  const { days, feeDays, unitsLeft, units } = derivation;
  const used = { units: fee.units, eventsCount: fee.events_count ?? 0n };
  const left = feeLessDays(billed.fee, { days, feeDays, unitsLeft, units }, used);
  if (left.amountMinor === 0n) return;
  const taxes = feeTaxes({
    base: fraction(left.amountMinor),
    taxes: taxRows.map((tax) => ({ code: tax.tax_code, name: tax.tax_name, rate: tax.tax_rate })),
  });
  const id = newId();
  const row = {
    ...withoutOrigin(fee),
    id,
    fee_key: `before_change:${fee.id}`,
    kind: "prorated" as const,
    to_at: ended.terminatedAt,
    amount_cents: left.amountMinor,
    precise_amount_cents: roundTo(left.preciseAmountMinor, PRECISE_DIGITS),
    precise_unit_amount: left.preciseUnitAmount,
    taxes_amount_cents: taxes.taxesMinor,
    derivation: JSON.stringify({ type: "in_advance", before: NOTHING_BEFORE, fee: left.derivation }),
    taxes: taxes.lines.map(({ tax, amountMinor }, index) => ({
      taxId: taxRows[index]?.tax_id ?? "",
      code: tax.code,
      name: tax.name,
      description: taxRows[index]?.tax_description ?? null,
      rate: tax.rate,
      amountMinor: minor(amountMinor),
    })),
  };
  await saveFees(batch, organizationId, [row], { createdAt, now: clock.now() });
  const [object] = await describeFees(batch, organizationId, await findFees(batch.tx, organizationId, [id]), {
    withTaxes: false,
  });
  if (!object) throw new Error("the saved fee is missing");
  const change = { webhookType: "fee.created", objectType: "fee", objectId: id, object, once: true };
  await publish(batch, organizationId, change, clock.now());
}

const PRECISE_DIGITS = 15;

/** The new fee is for days, not for one event. */
const NOTHING_BEFORE = {
  usage: { units: "0", maximum: "0", events: "0" },
  soFar: { model: "by_units", units: "0" },
};

/** The replaced fee keeps the event and the bill. */
function withoutOrigin({ organization_id: _, created_at: __, deleted_at: ___, has_receivable: ____, ...fee }: FeeRow) {
  const { item, grouped_by } = fee;
  return {
    ...fee,
    item: JSON.stringify(item),
    grouped_by: JSON.stringify(grouped_by),
    bill_id: null,
    event_id: null,
    event_transaction_id: null,
    is_renewal: false,
    payment_status: "pending" as const,
    failed_at: null,
  };
}
