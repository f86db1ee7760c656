export {
  countCustomersWithoutTax,
  countDraftsOfMetrics,
  countDraftsOfPlans,
  countSubscriptionsOfMetrics,
  countSubscriptionsOfPlans,
  countUsesOfTaxes,
  hasSubscriptions,
  holdClocksOfSubscribers,
} from "./store.ts";
