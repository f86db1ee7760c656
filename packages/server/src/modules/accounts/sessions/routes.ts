/** /session: signing in and out, with a cookie, outside of /api/v1. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import { PUBLIC } from "../../../http/auth.ts";
import { organizationOf, refusalOf, refuseOtherSites } from "../../../http/people.ts";
import { demandGoodPassword, passwordSchema, setPassword } from "../users/index.ts";
import type { SessionCookie } from "./cookie.ts";
import { sessionErrors } from "./errors.ts";
import { type SessionReader, widestOf } from "./read-sessions.ts";
import { toApiListedSession, toApiSession } from "./schema.ts";
import { proveAgain, type SignInDeps, signIn } from "./sign-in.ts";
import type { Browser } from "./start-session.ts";
import { type FoundSession, listLiveSessions, revokeSession, revokeSessions } from "./store.ts";

/** A mail to a person about a change of how it signs in. It is not waited for. */
export type MailChange = (to: string, what: string) => void;
export type SessionDeps = SignInDeps & { sessions: SessionReader; cookie: SessionCookie; mailChange: MailChange };

const config = { permission: PUBLIC };
const hidden = { hide: true };
const credentials = Type.Object({ email: Type.String({ maxLength: 1000 }), password: passwordSchema });
const passwordChange = Type.Object({ password: passwordSchema, new_password: passwordSchema });
const named = Type.Object({ id: Type.String() });

export const browserOf = ({ ip, headers }: FastifyRequest): Browser => ({
  address: ip,
  userAgent: headers["user-agent"],
});

/** The session of a request; 401 without one. */
export async function demandSession(request: FastifyRequest, { cookie, sessions }: SessionDeps): Promise<FoundSession> {
  const token = cookie.read(request.headers.cookie);
  const session = token === undefined ? undefined : await sessions.find(token);
  if (!session) throw refusalOf("session_ended");
  request.log = request.log.child({ person: session.user_id });
  return session;
}

/** The old token stops working at once in this process, and within three seconds in others. */
export function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { cookie, sessions }: SessionDeps,
  token: string,
) {
  sessions.forget(cookie.read(request.headers.cookie) ?? "");
  return reply.header("Set-Cookie", cookie.set(token));
}

/** What every answer under /session has, and every request there needs. */
export function guardSessionRoutes(app: Parameters<FastifyPluginAsyncTypebox>[0]): void {
  app.addHook("onRequest", async (request, reply) => {
    reply.header("Cache-Control", "no-store");
    refuseOtherSites(request);
  });
}

export const sessionRoutes =
  (deps: SessionDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { dispatcherDb, clock, sessions, cookie } = deps;
    guardSessionRoutes(app);

    app.get("/session", { config, schema: hidden }, async (request) => {
      const session = await demandSession(request, deps);
      return { session: toApiSession(session, organizationOf(request), sessions) };
    });

    app.post("/session", { config, schema: { ...hidden, body: credentials } }, async (request, reply) => {
      const { email, password } = request.body;
      const { token, factors } = await signIn(deps, { email, password, browser: browserOf(request) });
      if (factors) return { second_factor_needed: true, pending_token: token, factors };
      setCookie(request, reply, deps, token);
      return { second_factor_needed: false };
    });

    app.delete("/session", { config, schema: hidden }, async (request, reply) => {
      const token = cookie.read(request.headers.cookie);
      const session = token === undefined ? undefined : await sessions.find(token);
      if (session) await revokeSession(dispatcherDb, { userId: session.user_id, id: session.id, now: clock.now() });
      sessions.forget(token ?? "");
      reply.headers({ "Set-Cookie": cookie.clear(), "Clear-Site-Data": '"cache", "storage"' });
      return { signed_out: true };
    });

    app.put("/session/password", { config, schema: { ...hidden, body: passwordChange } }, async (request, reply) => {
      const session = await demandSession(request, deps);
      const { password, new_password } = request.body;
      demandGoodPassword(new_password, { email: session.email, name: session.user_name });
      const token = await proveAgain(deps, session, { password, address: request.ip });
      if (token === undefined) throw refusalOf("session_ended");
      const hash = await deps.passwords.hash(new_password);
      await dispatcherDb.transaction().execute(async (tx) => {
        await setPassword(tx, session.user_id, hash);
        await revokeSessions(tx, session.user_id, { now: clock.now(), except: session.id });
      });
      setCookie(request, reply, deps, token);
      deps.mailChange(session.email, "Your password was changed.");
      return { changed: true };
    });

    addListOfSessions(app, deps);
  };

function addListOfSessions(app: Parameters<FastifyPluginAsyncTypebox>[0], deps: SessionDeps): void {
  const { dispatcherDb, clock, sessions, cookie } = deps;

  app.get("/session/sessions", { config, schema: hidden }, async (request) => {
    const session = await demandSession(request, deps);
    const { session_max_hours: hours } = widestOf(session.memberships);
    const rows = await listLiveSessions(dispatcherDb, session.user_id, clock.now().subtract({ hours }));
    return { sessions: rows.map((row) => toApiListedSession(row, session.id)) };
  });

  app.delete("/session/sessions/:id", { config, schema: { ...hidden, params: named } }, async (request) => {
    const session = await demandSession(request, deps);
    const { id } = request.params;
    if (!(await revokeSession(dispatcherDb, { userId: session.user_id, id, now: clock.now() })))
      throw sessionErrors.problem("session_not_found");
    if (id === session.id) sessions.forget(cookie.read(request.headers.cookie) ?? "");
    return { revoked: true };
  });
}
