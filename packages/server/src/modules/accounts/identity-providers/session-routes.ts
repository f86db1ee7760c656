/** /session/oidc: signing in through the provider of an organization. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import { PUBLIC } from "../../../http/auth.ts";
import { Problem } from "../../../http/problem.ts";
import {
  browserOf,
  createSessionCookie,
  guardSessionRoutes,
  hasOwnProof,
  type SessionDeps,
  setCookie,
} from "../sessions/index.ts";
import { emailSchema, normalizeEmail } from "../users/index.ts";
import { beginSignIn, type ProviderDeps } from "./begin-sign-in.ts";
import { finishSignIn } from "./finish-sign-in.ts";

type Deps = SessionDeps & ProviderDeps;

const config = { permission: PUBLIC };
const hidden = { hide: true };
const COOKIE = "tallystick-provider";
const SEE_OTHER = 303;

export const providerSignInRoutes =
  (deps: Deps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const ownCookie = createSessionCookie(deps.publicUrl, COOKIE);

    await app.register(async (guarded) => {
      guardSessionRoutes(guarded);
      const schema = { ...hidden, body: Type.Object({ email: emailSchema }) };
      guarded.post<{ Body: { email: string } }>("/session/oidc", { config, schema }, async (request, reply) => {
        await deps.attempts.countNetwork(request.ip);
        const email = normalizeEmail(request.body.email);
        const begun = await beginSignIn(deps, { email, again: (await sessionOf(request, deps)) !== undefined });
        if (begun) reply.header("Set-Cookie", ownCookie.set(begun.browserToken));
        return { authorization_url: begun?.url ?? null };
      });
    });

    // The provider sends the browser here, so the request comes from another site. The cookie and the state tell that it began here.
    app.get("/session/oidc/callback", { config, schema: hidden }, async (request, reply) => {
      reply.header("Cache-Control", "no-store");
      await deps.attempts.countNetwork(request.ip);
      const browserToken = ownCookie.read(request.headers.cookie) ?? "";
      const session = await sessionOf(request, deps);
      const alreadyHere = session && hasOwnProof(session.methods) ? session.user_id : undefined;
      const query = new URL(request.url, deps.publicUrl).search;
      try {
        const token = await finishSignIn(deps, { query, browserToken, browser: browserOf(request), alreadyHere });
        setCookie(request, reply, deps, token);
        return await reply.redirect(`${deps.publicUrl}/`, SEE_OTHER);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        request.log.info({ err: error }, "a sign-in through a provider was refused");
        const problem = error.body.code ?? String(error.body.status);
        return await reply.redirect(`${deps.publicUrl}/sign-in?problem=${encodeURIComponent(problem)}`, SEE_OTHER);
      }
    });
  };

const sessionOf = async ({ headers }: FastifyRequest, { cookie, sessions }: Deps) => {
  const token = cookie.read(headers.cookie);
  return token === undefined ? undefined : await sessions.find(token);
};
