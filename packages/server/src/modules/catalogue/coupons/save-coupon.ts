/** Creates, changes and deletes coupons. */
import {
  type Coupon,
  type CouponLimit,
  couponAfterUpdate,
  type Faults,
  type Members,
  parseCoupon,
  type Result,
} from "@tallystick/core/catalog";
import type { Precondition } from "../../../http/etags.ts";
import { toApiInstant } from "../../../http/fields.ts";
import { accept, invalid } from "../../../http/problem.ts";
import { newId } from "../../../platform/new-id.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findMetricsByCode, metricsNotFound } from "../billable-metrics/index.ts";
import { findPlans } from "../plans/index.ts";
import { describeCoupon, findLimitCodes } from "./describe-coupons.ts";
import { couponErrors } from "./errors.ts";
import { type CouponRow, FREQUENCY_DURATION_MAX, fromRow, toRow } from "./row.ts";
import { insertCoupon, lockCoupon, replaceMetrics, replacePlans, updateCoupon } from "./store.ts";
import type { ApiCoupon } from "./to-api.ts";

/** Effects of a coupon in modules above, passed in by `main`. */
export type CouponEffects = {
  hasBeenApplied: (tx: Tx, organizationId: string, couponId: string) => Promise<boolean>;
  onDeleted: (tx: Tx, organizationId: string, couponId: string, now: Temporal.Instant) => Promise<void>;
};

export async function createCoupon(
  tx: Tx,
  organizationId: string,
  members: Members,
  now: Temporal.Instant,
): Promise<ApiCoupon> {
  const coupon = acceptCoupon(parseCoupon(members, now));
  const record = { ...toRow(coupon), limited_to: limitedTo(coupon), id: newId(), created_at: now, updated_at: now };
  const row = await insertCoupon(tx, organizationId, record);
  await saveLimit(tx, organizationId, row.id, coupon.limit);
  return describeCoupon(tx, organizationId, row, now);
}

type CouponChange = { change: Members; precondition: Precondition; now: Temporal.Instant };

export async function changeCoupon(
  tx: Tx,
  organizationId: string,
  code: string,
  { change, precondition, now, hasBeenApplied }: CouponChange & Pick<CouponEffects, "hasBeenApplied">,
): Promise<ApiCoupon> {
  const existing = await lockExisting(tx, organizationId, code);
  await precondition(async () => ({ coupon: await describeCoupon(tx, organizationId, existing, now) }));
  const codesOf = await findLimitCodes(tx, organizationId, [existing]);
  const current = fromRow(existing, codesOf(existing));
  const isFixed = await hasBeenApplied(tx, organizationId, existing.id);
  const changed = acceptCoupon(couponAfterUpdate(current, withoutEcho(change, current), isFixed, now));
  // Unless requested, the stored limit stays: a limit whose plans are all deleted must not become empty.
  const isLimitGiven = change.applies_to !== undefined && !isFixed;
  const columns = { ...toRow(changed), ...(isLimitGiven ? { limited_to: limitedTo(changed) } : {}), updated_at: now };
  const row = await updateCoupon(tx, organizationId, existing.id, columns);
  if (isLimitGiven) await saveLimit(tx, organizationId, row.id, changed.limit);
  return describeCoupon(tx, organizationId, row, now);
}

/** Its limit stays, for the invoices that used it. Its applied coupons end. */
export async function deleteCoupon(
  tx: Tx,
  organizationId: string,
  code: string,
  { now, onDeleted }: { now: Temporal.Instant } & Pick<CouponEffects, "onDeleted">,
): Promise<ApiCoupon> {
  const existing = await lockExisting(tx, organizationId, code);
  const row = await updateCoupon(tx, organizationId, existing.id, { deleted_at: now });
  await onDeleted(tx, organizationId, row.id, now);
  return describeCoupon(tx, organizationId, row, now);
}

async function lockExisting(tx: Tx, organizationId: string, code: string): Promise<CouponRow> {
  const row = await lockCoupon(tx, organizationId, code);
  if (!row) throw couponErrors.problem("coupon_not_found");
  return row;
}

const TWO_LIMITS = "only_one_limitation_type_per_coupon_allowed";

function acceptCoupon(checked: Result<Coupon, Faults>): Coupon {
  if (!checked.ok && checked.error["applies_to.base"]?.includes(TWO_LIMITS)) throw couponErrors.problem(TWO_LIMITS);
  const coupon = accept(checked);
  if (coupon.frequency.type === "recurring" && coupon.frequency.invoices > FREQUENCY_DURATION_MAX)
    throw invalid({ frequency_duration: ["value_is_out_of_range"] });
  return coupon;
}

/** An expiration is shown without fractions of a second. If a client sends that value back, it is unchanged, even if it has passed. */
function withoutEcho({ expiration_at, ...change }: Members, { expiresAt }: Coupon): Members {
  const isEcho = expiresAt !== null && expiration_at === toApiInstant(expiresAt);
  return isEcho ? change : { ...change, expiration_at };
}

async function saveLimit(tx: Tx, organizationId: string, couponId: string, limit: CouponLimit): Promise<void> {
  const plans = limit.type === "plans" ? await findPlans(tx, organizationId, limit.codes) : [];
  if (limit.type === "plans" && plans.length !== limit.codes.length)
    throw couponErrors.problem("plans_not_found", without(limit.codes, plans));
  const metrics = limit.type === "metrics" ? await findMetricsByCode(tx, organizationId, limit.codes) : [];
  if (limit.type === "metrics" && metrics.length !== limit.codes.length)
    throw metricsNotFound(without(limit.codes, metrics));
  await replacePlans(tx, organizationId, couponId, idsOf(plans));
  await replaceMetrics(tx, organizationId, couponId, idsOf(metrics));
}

const without = (codes: readonly string[], found: readonly { code: string }[]): string[] =>
  codes.filter((code) => !found.some((row) => row.code === code));

const LIMITED_TO = { none: null, plans: "plans", metrics: "billable_metrics" } as const;
const limitedTo = ({ limit }: Coupon) => LIMITED_TO[limit.type];

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map((row) => row.id);
