export { appliedCouponErrors } from "./errors.ts";
export { appliedCouponRoutes } from "./routes.ts";
export { couponSource } from "./spend-coupons.ts";
export { couponEffects, terminateCouponsOf } from "./terminate-coupon.ts";
