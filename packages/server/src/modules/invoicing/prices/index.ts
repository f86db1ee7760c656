export { findFirstPrices, findPrices, type Prices, repriceBills } from "./store.ts";
