/** /applied_coupons, and the termination of one under its customer. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { readPage, toApiMeta } from "../../../http/pagination.ts";
import type { Clock } from "../../../platform/clock.ts";
import { applyCoupon } from "./apply-coupon.ts";
import { describeAppliedCoupon, describeAppliedCoupons } from "./describe-applied-coupons.ts";
import { applyCouponSchema, listAppliedCouponsSchema, terminateCouponSchema } from "./schema.ts";
import { pageOfAppliedCoupons } from "./store.ts";
import { terminateCoupon } from "./terminate-coupon.ts";
import { STATUSES } from "./to-api.ts";

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
        const page = readPage(request.query);
        const { external_customer_id: externalCustomerId } = request.query;
        const status = STATUSES.find((known) => known === request.query.status);
        const filter = { status, externalCustomerId };
        const { rows, total } = await pageOfAppliedCoupons(tx, organizationId, filter, page);
        const applied = await describeAppliedCoupons(tx, organizationId, rows);
        return { applied_coupons: applied, meta: toApiMeta(page, total) };
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
