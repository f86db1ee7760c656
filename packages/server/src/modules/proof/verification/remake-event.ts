/** Recomputes the invoice of an event that was billed in advance, from the event and the totals before it. */
import assert from "node:assert/strict";
import { computeInvoice, type InAdvanceFeeDerivation, issuedDates } from "@tallystick/core/invoicing";
import { roundTo } from "@tallystick/core/money";
import { billNext, inAdvanceTerms } from "@tallystick/core/rating";
import { dayOf } from "@tallystick/core/time";
import { filterFor, groupOf, type UsageEvent, type UsageWindow } from "@tallystick/core/usage";
import { inSnapshot } from "../../../platform/postgres/database.ts";
import { loadPastPriceList, type PriceList } from "../../catalogue/index.ts";
import { chargeItem, fromStoredSpendable } from "../../invoicing/index.ts";
import { toFeeItem, toOrder } from "../../usage/index.ts";
import type { Rebuild, VerifyDeps } from "./rebuild.ts";
import { type Members, membersOfRemade } from "./shown-invoice.ts";
import { type EventRow, findEventAt } from "./store.ts";
import { type FromEvent, toTaxes, toTaxRow } from "./stored-inputs.ts";

const PRECISE_DIGITS = 15;
const COUPON_DIGITS = 5;

/** null: the event or the plan version no longer exists. */
export async function remakeEventInvoice(
  deps: VerifyDeps,
  { stored, inputs }: Rebuild<FromEvent>,
  version: number = inputs.planVersion,
): Promise<{ members: Members; event: EventRow } | { missing: "event" | "plan" }> {
  const { organization_id: organizationId } = stored.row;
  const { event, priceList } = await inSnapshot(deps.db, organizationId, async (tx) => ({
    event: await findEventAt(tx, organizationId, inputs.event),
    priceList: await loadPastPriceList(tx, organizationId, { planId: inputs.planId, version, metricsThen: new Map() }),
  }));
  if (!event) return { missing: "event" };
  if (!priceList) return { missing: "plan" };
  const chargeTaxes = new Map(inputs.charges.map(({ chargeId, taxes }) => [chargeId, taxes.map(toTaxRow)]));
  const taxed = { ...priceList, planTaxes: inputs.taxes.plan.map(toTaxRow), chargeTaxes };
  return { members: decide({ stored, inputs }, taxed, event), event };
}

function decide({ stored, inputs }: Rebuild<FromEvent>, priceList: PriceList, event: EventRow): Members {
  const { row } = stored;
  assert(row.finalized_at, "only finalized invoices are recomputed");
  const lines = inputs.charges.flatMap((charge) => priceLine({ inputs, priceList, event }, charge));
  const { currency } = priceList.plan;
  const computed = computeInvoice({
    id: row.id,
    form: { type: "subscription", status: "finalized" },
    currency,
    at: row.finalized_at,
    fees: lines.map(({ key, charge, fee }) => ({
      // The derivation of the invoice names its fees by their ids.
      id: stored.fees.find(({ fee_key }) => fee_key === key)?.id ?? key,
      label: "",
      amountMinor: fee.amountMinor,
      item: toFeeItem({ priceList }, charge),
    })),
    taxes: toTaxes(inputs.taxes),
    ...fromStoredSpendable(inputs.spendable),
  });
  const { timeZone } = inputs;
  return membersOfRemade(stored, {
    currency,
    timeZone,
    dates: issuedDates(dayOf(Temporal.Instant.from(inputs.event.timestamp), timeZone), row.net_payment_term ?? 0),
    computed,
    fees: lines.map((line, index) => toRow(line, computed.fees[index], { inputs, priceList })),
  });
}

type Context = { inputs: FromEvent; priceList: PriceList; event: EventRow };
type Line = ReturnType<typeof priceLine>[number];

/** Returns nothing if the plan lacks the charge, or the charge does not count the event: then the fee is missing. */
function priceLine({ inputs, priceList, event }: Context, input: FromEvent["charges"][number]) {
  const charge = priceList.plan.charges.find(({ id }) => id === input.chargeId);
  if (charge?.timing.type !== "in_advance") return [];
  const usage = toUsageEvent(event);
  const filter = filterFor(charge, usage);
  const terms = inAdvanceTerms(charge, filter, { window: toWindow(inputs), currency: priceList.plan.currency });
  const next = billNext(terms, input.before, usage, input.wasActive);
  if (!next) return [];
  const group = groupOf((filter?.price ?? charge.price).groupedBy, usage);
  const derivation: InAdvanceFeeDerivation = { type: "in_advance", before: input.before, fee: next.fee.derivation };
  const key = `advance:${charge.id}:${event.id}`;
  return [{ key, charge, filterId: filter?.id ?? null, group, fee: next.fee, derivation }];
}

function toRow(
  { key, charge, filterId, group, fee, derivation }: Line,
  figures: ReturnType<typeof computeInvoice>["fees"][number] | undefined,
  { inputs, priceList }: Pick<Context, "inputs" | "priceList">,
) {
  assert(figures, "core computes the fees that it receives");
  const { from, to } = toWindow(inputs);
  return {
    id: key,
    bill_id: null,
    fee_key: key,
    fee_type: "charge" as const,
    kind: "in_advance" as const,
    subscription_id: inputs.subscriptionId,
    charge_id: charge.id,
    charge_filter_id: filterId,
    ...chargeItem(priceList, charge, filterId),
    pay_in_advance: true,
    invoiceable: true,
    is_renewal: false,
    currency: priceList.plan.currency,
    amount_cents: fee.amountMinor,
    precise_amount_cents: roundTo(fee.preciseAmountMinor, PRECISE_DIGITS),
    precise_unit_amount: fee.preciseUnitAmount,
    precise_coupons_amount_cents: roundTo(figures.couponShare, COUPON_DIGITS),
    taxes_amount_cents: figures.taxesMinor,
    taxes_rate: figures.taxesRate,
    units: fee.units,
    events_count: fee.eventsCount,
    from_at: from,
    to_at: to,
    grouped_by: JSON.stringify(group),
    derivation: JSON.stringify(derivation),
    true_up_parent_fee_id: null,
    taxes: figures.taxes.map(({ tax, amountMinor }) => ({
      taxId: "",
      code: tax.code,
      name: tax.name,
      description: null,
      rate: tax.rate,
      amountMinor,
    })),
  };
}

const toUsageEvent = ({ timestamp, received_at, shard, position, texts }: EventRow): UsageEvent => ({
  at: timestamp,
  position: toOrder({ receivedAt: received_at, shard, position }),
  properties: Object.fromEntries(
    Object.entries(texts ?? {}).filter((entry): entry is [string, string] => entry[1] !== null),
  ),
});

const toWindow = ({ window }: FromEvent): UsageWindow => ({
  from: Temporal.Instant.from(window.from),
  to: Temporal.Instant.from(window.to),
  timeZone: window.timeZone,
  firstDay: Temporal.PlainDate.from(window.firstDay),
  lastDay: Temporal.PlainDate.from(window.lastDay),
  periodDays: window.periodDays,
});
