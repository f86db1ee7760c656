/** /session/proofs: a person proves again who it is, before a sensitive change. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { type Static, Type } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import { PUBLIC } from "../../../http/auth.ts";
import { refusalOf } from "../../../http/people.ts";
import { refusal } from "../../../http/problem.ts";
import { authenticationOptions, checkAssertion, credentialSchema, type PasskeyDeps } from "../passkeys/index.ts";
import { checkCode } from "../second-factors/index.ts";
import { demandSession, guardSessionRoutes, proveAgain, raiseSession, setCookie } from "../sessions/index.ts";
import { passwordSchema } from "../users/index.ts";

const config = { permission: PUBLIC };
const hidden = { hide: true };
const proof = Type.Object({
  password: Type.Optional(passwordSchema),
  code: Type.Optional(Type.String({ maxLength: 100 })),
  credential: Type.Optional(credentialSchema),
});

export const proofRoutes =
  (deps: PasskeyDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    guardSessionRoutes(app);

    app.post("/session/proofs/passkey-challenges", { config, schema: hidden }, async (request) => {
      const { user_id: userId } = await demandSession(request, deps);
      return { options: await authenticationOptions(deps, { purpose: "prove", userId }) };
    });

    app.post("/session/proofs", { config, schema: { ...hidden, body: proof } }, async (request, reply) => {
      const token = await prove(request, request.body, deps);
      if (token === undefined) throw refusalOf("session_ended");
      setCookie(request, reply, deps, token);
      return { proved: true };
    });
  };

/** Returns the new token of the session. */
async function prove(
  request: FastifyRequest,
  { password, code, credential }: Static<typeof proof>,
  deps: PasskeyDeps,
): Promise<string | undefined> {
  const session = await demandSession(request, deps);
  const { id, user_id: userId } = session;
  const raised = (method: string) => raiseSession(deps.dispatcherDb, id, { method, now: deps.clock.now() });
  if (password !== undefined) return proveAgain(deps, session, { password, address: request.ip });
  if (code !== undefined) return raised(await checkCode(deps, userId, code));
  if (credential === undefined) throw refusal(400, undefined, { message: "Send `password`, `code` or `credential`." });
  await checkAssertion(deps, { purpose: "prove", userId }, credential, request.log);
  return raised("passkey");
}
