/** How invoices use applied coupons and return them. */
import assert from "node:assert/strict";
import { giveBackCoupon } from "@tallystick/core/invoicing";
import { minor } from "@tallystick/core/money";
import type { Clock } from "../../../platform/clock.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import { findCouponsById, isWithdrawn, limitsOf } from "../../catalogue/index.ts";
import { findCustomersById } from "../../customers/index.ts";
import type { CreditSource, InvoiceCreditRow, Spending, Voided } from "../../invoicing/index.ts";
import { post } from "../../ledger/index.ts";
import { type AppliedCouponRow, toAppliedCoupon, toLeft, toLeftColumns } from "./row.ts";
import { findActive, findAppliedCoupons, lockActive, lockAppliedCoupons, updateAppliedCoupon } from "./store.ts";

export const couponSource = (clock: Clock): CreditSource => ({
  load: async (batch, organizationId, { customerId, isHeld }) => {
    const rows = await (isHeld ? lockActive : findActive)(batch, organizationId, [customerId]);
    if (rows.length === 0) return {};
    const couponIds = rows.map(({ coupon_id }) => coupon_id);
    const limits = await limitsOf(batch.tx, organizationId, couponIds);
    const coupons = new Map(
      (await findCouponsById(batch.tx, organizationId, couponIds)).map((coupon) => [coupon.id, coupon]),
    );
    return {
      coupons: rows.map((row) => {
        const [coupon, limit] = [coupons.get(row.coupon_id), limits.get(row.coupon_id)];
        assert(coupon && limit, "an applied coupon has a coupon and a limit");
        return toAppliedCoupon(row, coupon.code, limit);
      }),
    };
  },

  use: async (batch, organizationId, { invoiceId, at, uses: { couponUses }, ...spending }) => {
    for (const { coupon, creditMinor, left, isTerminated } of couponUses) {
      const row = await updateAppliedCoupon(batch.tx, organizationId, coupon.id, {
        ...toLeftColumns(left),
        ...(isTerminated ? { status: "terminated", terminated_at: at } : {}),
        updated_at: at,
      });
      const source = { kind: "invoice", id: invoiceId };
      const moved = { row, amountCents: creditMinor, source, occurredAt: at, currency: spending.currency };
      await post(batch, organizationId, {
        ...transferOf(moved),
        from: accountOf(row),
        to: "invoiced",
        now: clock.now(),
      });
    }
  },

  show: async (tx, organizationId, { couponUses }) => {
    if (couponUses.length === 0) return [];
    const rows = await findAppliedCoupons(
      tx,
      organizationId,
      couponUses.map(({ coupon }) => coupon.id),
    );
    const coupons = await findCouponsById(
      tx,
      organizationId,
      rows.map(({ coupon_id }) => coupon_id),
    );
    return couponUses.map(({ coupon: { id: owner_id }, creditMinor }) => {
      const couponId = rows.find(({ id }) => id === owner_id)?.coupon_id;
      const coupon = coupons.find(({ id }) => id === couponId);
      assert(coupon, "an applied coupon has a coupon");
      const item = { item_id: coupon.id, item_code: coupon.code, item_name: coupon.name };
      return { kind: "coupon", owner_id, ...item, amount_cents: creditMinor };
    });
  },

  giveBack: async (batch, organizationId, { invoice, credits, at }) => {
    const used = credits.filter(({ kind }) => kind === "coupon");
    const rows = await lockAppliedCoupons(
      batch.tx,
      organizationId,
      used.map(({ owner_id }) => owner_id),
    );
    for (const row of rows) {
      const credit = used.find(({ owner_id }) => owner_id === row.id);
      assert(credit, "every requested credit was found");
      await giveBack(batch, { row, credit, invoice, at }, clock);
    }
  },
});

type Returned = Omit<Voided, "credits"> & { row: AppliedCouponRow; credit: InvoiceCreditRow };

async function giveBack(batch: Batch, { row, credit, invoice, at }: Returned, clock: Clock): Promise<void> {
  const { organization_id: organizationId } = row;
  const [coupon] = await findCouponsById(batch.tx, organizationId, [row.coupon_id]);
  assert(coupon, "an applied coupon has a coupon");
  const [customer] = await findCustomersById(batch, organizationId, [row.customer_id]);
  const { left, status } = giveBackCoupon({
    left: toLeft(row),
    status: row.status === "active" ? "active" : "terminated",
    isWithdrawn: customer?.deleted_at !== null || isWithdrawn(coupon, clock.now()),
    creditMinor: minor(credit.amount_cents),
  });
  await updateAppliedCoupon(batch.tx, organizationId, row.id, {
    ...toLeftColumns(left),
    status,
    terminated_at: status === "active" ? null : row.terminated_at,
    updated_at: at,
  });
  const source = { kind: "invoice_void", id: invoice.id };
  const moved = { row, amountCents: credit.amount_cents, source, occurredAt: at, currency: invoice.currency ?? "" };
  await post(batch, organizationId, { ...transferOf(moved), from: "invoiced", to: accountOf(row), now: clock.now() });
}

type Moved = {
  row: AppliedCouponRow;
  amountCents: bigint;
  source: { kind: string; id: string };
  occurredAt: Temporal.Instant;
  currency: Spending["currency"];
};

const transferOf = ({ row, ...moved }: Moved) => ({ ownerId: row.id, customerId: row.customer_id, ...moved });

/** A coupon that is not spent once has no balance. Each invoice issues what it credits. */
const accountOf = ({ amount_left_cents }: AppliedCouponRow) => (amount_left_cents === null ? "issued" : "coupon");
