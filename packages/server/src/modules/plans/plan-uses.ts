/** What uses a plan. Subscriptions and invoices do not exist yet, so nothing does; where they are counted is here. */

/** A plan that has subscriptions keeps what running bills depend on. */
export const HAS_SUBSCRIPTIONS: boolean = false;

export const PLAN_USES = { customers_count: 0, active_subscriptions_count: 0, draft_invoices_count: 0 };
