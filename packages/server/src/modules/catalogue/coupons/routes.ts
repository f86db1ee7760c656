/** CRUD of /coupons, by code. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { codedList } from "../../../http/coded-resource.ts";
import type { Clock } from "../../../platform/clock.ts";
import { describeCoupon, describeCoupons } from "./describe-coupons.ts";
import { couponErrors } from "./errors.ts";
import { type CouponEffects, changeCoupon, createCoupon, deleteCoupon } from "./save-coupon.ts";
import { couponSchemas } from "./schema.ts";
import { findCoupon, pageOfCoupons } from "./store.ts";

export const couponRoutes =
  ({ clock, hasBeenApplied, onDeleted }: CouponEffects & { clock: Clock }): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "coupon", activity: "difference" } as const;

    app.post("/coupons", { schema: couponSchemas.create, config }, (request) =>
      request.write(async (tx, organizationId) => ({
        coupon: await createCoupon(tx, organizationId, request.body.coupon, clock.now()),
      })),
    );

    app.get("/coupons", { schema: couponSchemas.list, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const { rows, meta } = await pageOfCoupons(tx, organizationId, codedList.read(request.query));
        const coupons = await describeCoupons(tx, organizationId, rows, clock.now());
        return { coupons, meta };
      }),
    );

    app.get("/coupons/:code", { schema: couponSchemas.show, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const row = await findCoupon(tx, organizationId, request.params.code);
        if (!row) throw couponErrors.problem("coupon_not_found");
        return { coupon: await describeCoupon(tx, organizationId, row, clock.now()) };
      }),
    );

    app.put("/coupons/:code", { schema: couponSchemas.change, config }, (request) =>
      request.write(async (tx, organizationId) => ({
        coupon: await changeCoupon(tx, organizationId, request.params.code, {
          change: request.body.coupon,
          precondition: request.precondition.bind(request),
          now: clock.now(),
          hasBeenApplied,
        }),
      })),
    );

    app.delete("/coupons/:code", { schema: couponSchemas.delete, config }, (request) =>
      request.write(async (tx, organizationId) => ({
        coupon: await deleteCoupon(tx, organizationId, request.params.code, { now: clock.now(), onDeleted }),
      })),
    );
  };
