/** /applied_coupons, and the termination of one under its customer. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { Clock } from "../../../platform/clock.ts";
import { applyCoupon } from "./apply-coupon.ts";
import { describeAppliedCoupon, describeAppliedCoupons } from "./describe-applied-coupons.ts";
import { appliedCouponList, applyCouponSchema, listAppliedCouponsSchema, terminateCouponSchema } from "./schema.ts";
import { pageOfAppliedCoupons } from "./store.ts";
import { terminateCoupon } from "./terminate-coupon.ts";

export const appliedCouponRoutes =
  (clock: Clock): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "applied_coupon" };

    app.post("/applied_coupons", { schema: applyCouponSchema, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const {
          external_customer_id: externalCustomerId,
          coupon_code: couponCode,
          ...overrides
        } = request.body.applied_coupon;
        const row = await applyCoupon(tx, clock, organizationId, { externalCustomerId, couponCode, overrides });
        return { applied_coupon: await describeAppliedCoupon(tx, organizationId, row) };
      }),
    );

    app.get("/applied_coupons", { schema: listAppliedCouponsSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const { rows, meta } = await pageOfAppliedCoupons(tx, organizationId, appliedCouponList.read(request.query));
        const applied = await describeAppliedCoupons(tx, organizationId, rows);
        return { applied_coupons: applied, meta };
      }),
    );

    app.delete(
      "/customers/:external_id/applied_coupons/:svc_id",
      { schema: terminateCouponSchema, config },
      (request) =>
        request.write(async (tx, organizationId) => {
          const { external_id: externalCustomerId, svc_id: id } = request.params;
          const row = await terminateCoupon(tx, clock, organizationId, { externalCustomerId, id });
          return { applied_coupon: await describeAppliedCoupon(tx, organizationId, row) };
        }),
    );
  };
