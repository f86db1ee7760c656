export { createFactorsOf } from "./find-factors.ts";
export { removeFactors } from "./remove-factors.ts";
export { proofRoutes } from "./routes.ts";
