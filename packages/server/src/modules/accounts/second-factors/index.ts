export { checkCode } from "./check-codes.ts";
export { afterAdding } from "./enroll.ts";
export { factorErrors } from "./errors.ts";
export { type FactorDeps, secondFactorRoutes } from "./routes.ts";
export { findPending, finishSignIn } from "./second-step.ts";
export { totpSeeds } from "./seeds.ts";
export { deleteRecoveryCodes, deleteTotp, findTotp } from "./store.ts";
