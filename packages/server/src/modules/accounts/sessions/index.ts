export { createSessionCookie } from "./cookie.ts";
export { sessionErrors } from "./errors.ts";
export { createSessionReader, lackOf, type ProvidersOf } from "./read-sessions.ts";
export { browserOf, demandSession, guardSessionRoutes, type SessionDeps, sessionRoutes, setCookie } from "./routes.ts";
export type { FactorsOf } from "./sign-in.ts";
export { startSession } from "./start-session.ts";
export { forgetSessions, revokeSessions } from "./store.ts";
