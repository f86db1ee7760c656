export { createSessionCookie } from "./cookie.ts";
export { sessionErrors } from "./errors.ts";
export { demandOwnProof, type FactorsOf, hasOwnProof } from "./own-proof.ts";
export { createSessionReader, lackOf } from "./read-sessions.ts";
export {
  browserOf,
  demandSession,
  guardSessionRoutes,
  type MailChange,
  type SessionDeps,
  sessionRoutes,
  setCookie,
} from "./routes.ts";
export { proveAgain } from "./sign-in.ts";
export { type Browser, raiseSession, startSession } from "./start-session.ts";
export { forgetSessions, revokeSessions, revokeSessionsOfDomain } from "./store.ts";
