/** /session/totp and /session/recovery-codes: the authenticator app of a person. And the second step of a sign-in. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "@fastify/type-provider-typebox";
import { PUBLIC } from "../../../http/auth.ts";
import { toApiInstantOrNull } from "../../../http/fields.ts";
import { refusalOf } from "../../../http/people.ts";
import { refusal } from "../../../http/problem.ts";
import {
  browserOf,
  demandOwnProof,
  demandSession,
  guardSessionRoutes,
  type SessionDeps,
  setCookie,
} from "../sessions/index.ts";
import { type CodeDeps, checkCode, checkRecoveryCode } from "./check-codes.ts";
import { beginTotp, confirm, renewRecoveryCodes } from "./enroll.ts";
import { factorErrors } from "./errors.ts";
import { finishSignIn } from "./second-step.ts";
import { countRecoveryCodes, deleteRecoveryCodes, deleteTotp, findTotp } from "./store.ts";
import { otpauthUri } from "./totp.ts";

export type FactorDeps = SessionDeps & CodeDeps;

const config = { permission: PUBLIC };
const hidden = { hide: true };
const code = Type.String({ maxLength: 100 });
const secondStep = Type.Object({
  pending_token: Type.String({ maxLength: 100 }),
  code: Type.Optional(code),
  recovery_code: Type.Optional(code),
});

export const secondFactorRoutes =
  (deps: FactorDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { dispatcherDb, clock, factorsOf } = deps;
    guardSessionRoutes(app);

    app.get("/session/totp", { config, schema: hidden }, async (request) => {
      const { user_id } = await demandSession(request, deps);
      const factor = await findTotp(dispatcherDb, user_id);
      return {
        totp: { confirmed_at: toApiInstantOrNull(factor?.confirmed_at ?? null) },
        recovery_codes_left: await countRecoveryCodes(dispatcherDb, user_id),
      };
    });

    app.post("/session/totp", { config, schema: hidden }, async (request) => {
      const session = await demandSession(request, deps);
      await demandOwnProof(deps, session, clock.now());
      const secret = await beginTotp(deps, session.user_id);
      return { totp: { secret, uri: otpauthUri(secret, session.email) } };
    });

    const confirming = { config, schema: { ...hidden, body: Type.Object({ code }) } };
    app.post("/session/totp/confirm", confirming, async (request, reply) => {
      const session = await demandSession(request, deps);
      await demandOwnProof(deps, session, clock.now());
      const { token, recoveryCodes } = await confirm(deps, session, request.body.code);
      if (token === undefined) throw refusalOf("session_ended");
      setCookie(request, reply, deps, token);
      deps.mailChange(session.email, "An authenticator app was added to your account.");
      return { confirmed: true, recovery_codes: recoveryCodes };
    });

    app.delete("/session/totp", { config, schema: hidden }, async (request) => {
      const session = await demandSession(request, deps);
      await demandOwnProof(deps, session, clock.now());
      if (!(await deleteTotp(dispatcherDb, session.user_id))) throw factorErrors.problem("totp_not_found");
      if ((await factorsOf(session.user_id)).length === 0) await deleteRecoveryCodes(dispatcherDb, session.user_id);
      deps.mailChange(session.email, "The authenticator app was removed from your account.");
      return { removed: true };
    });

    app.post("/session/recovery-codes", { config, schema: hidden }, async (request) => {
      const session = await demandSession(request, deps);
      await demandOwnProof(deps, session, clock.now());
      if ((await factorsOf(session.user_id)).length === 0) throw factorErrors.problem("no_second_factor");
      const recovery_codes = await renewRecoveryCodes(dispatcherDb, session.user_id, clock.now());
      deps.mailChange(session.email, "Your recovery codes were replaced.");
      return { recovery_codes };
    });

    addSecondStep(app, deps);
  };

function addSecondStep(app: Parameters<FastifyPluginAsyncTypebox>[0], deps: FactorDeps): void {
  app.post("/session/second-factor", { config, schema: { ...hidden, body: secondStep } }, async (request, reply) => {
    await deps.attempts.countNetwork(request.ip);
    const { pending_token: pendingToken, code, recovery_code } = request.body;
    const token = await finishSignIn(deps, { pendingToken, browser: browserOf(request) }, async (userId) => {
      if (code !== undefined) return checkCode(deps, userId, code);
      if (recovery_code !== undefined) return checkRecoveryCode(deps, userId, recovery_code);
      throw refusal(400, undefined, { message: "Send `code`, which your app shows, or `recovery_code`." });
    });
    setCookie(request, reply, deps, token);
    return { signed_in: true };
  });
}
