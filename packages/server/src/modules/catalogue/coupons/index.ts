export { couponErrors } from "./errors.ts";
export { holdCoupon, isWithdrawn, limitsOf } from "./hold-coupon.ts";
export { couponRoutes } from "./routes.ts";
export { type CouponRow, FREQUENCY_DURATION_MAX } from "./row.ts";
export { findCouponsById, pageOfCoupons } from "./store.ts";
