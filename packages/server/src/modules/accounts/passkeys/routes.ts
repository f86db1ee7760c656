/** /session/passkeys: the passkeys of a person, and signing in with one. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "@fastify/type-provider-typebox";
import { PUBLIC } from "../../../http/auth.ts";
import { mandatoryText, toApiInstant, toApiInstantOrNull } from "../../../http/fields.ts";
import { refusalOf } from "../../../http/people.ts";
import { newId } from "../../../platform/new-id.ts";
import {
  afterAdding,
  deleteRecoveryCodes,
  type FactorDeps,
  findPending,
  finishSignIn,
} from "../second-factors/index.ts";
import {
  browserOf,
  demandOwnProof,
  demandSession,
  guardSessionRoutes,
  setCookie,
  startSession,
} from "../sessions/index.ts";
import { findUser } from "../users/index.ts";
import {
  authenticationOptions,
  type CeremonyDeps,
  checkAssertion,
  checkRegistration,
  registrationOptions,
} from "./ceremonies.ts";
import { passkeyErrors } from "./errors.ts";
import { credentialSchema } from "./schema.ts";
import { deletePasskey, insertPasskey, listPasskeys, type PasskeyRow, renamePasskey } from "./store.ts";

export type PasskeyDeps = FactorDeps & CeremonyDeps;
type App = Parameters<FastifyPluginAsyncTypebox>[0];

const config = { permission: PUBLIC };
const hidden = { hide: true };
const name = mandatoryText(255);
const pending_token = Type.Optional(Type.String({ maxLength: 100 }));
const registration = Type.Object({ name, credential: credentialSchema });
const assertion = Type.Object({ pending_token, credential: credentialSchema });
const params = Type.Object({ id: Type.String() });

const toApiPasskey = ({ id, name, created_at, last_used_at }: PasskeyRow) => ({
  id,
  name,
  created_at: toApiInstant(created_at),
  last_used_at: toApiInstantOrNull(last_used_at),
});

export const passkeyRoutes =
  (deps: PasskeyDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    guardSessionRoutes(app);
    addRegistration(app, deps);
    addSignIn(app, deps);

    app.get("/session/passkeys", { config, schema: hidden }, async (request) => {
      const { user_id } = await demandSession(request, deps);
      return { passkeys: (await listPasskeys(deps.dispatcherDb, user_id)).map(toApiPasskey) };
    });

    const renaming = { config, schema: { ...hidden, params, body: Type.Object({ name }) } };
    app.put("/session/passkeys/:id", renaming, async (request) => {
      const { user_id: userId } = await demandSession(request, deps);
      const row = await renamePasskey(deps.dispatcherDb, { userId, id: request.params.id }, request.body.name);
      if (!row) throw passkeyErrors.problem("passkey_not_found");
      return { passkey: toApiPasskey(row) };
    });

    app.delete("/session/passkeys/:id", { config, schema: { ...hidden, params } }, async (request) => {
      const session = await demandSession(request, deps);
      await demandOwnProof(deps, session, deps.clock.now());
      const { user_id: userId, email } = session;
      if (!(await deletePasskey(deps.dispatcherDb, { userId, id: request.params.id })))
        throw passkeyErrors.problem("passkey_not_found");
      if ((await deps.factorsOf(userId)).length === 0) await deleteRecoveryCodes(deps.dispatcherDb, userId);
      deps.mailChange(email, "A passkey was removed from your account.");
      return { removed: true };
    });
  };

function addRegistration(app: App, deps: PasskeyDeps): void {
  const { dispatcherDb, clock } = deps;

  app.post("/session/passkeys/options", { config, schema: hidden }, async (request) => {
    const session = await demandSession(request, deps);
    await demandOwnProof(deps, session, clock.now());
    const { user_id: id, email, user_name } = session;
    return { options: await registrationOptions(deps, { id, email, name: user_name }) };
  });

  app.post("/session/passkeys", { config, schema: { ...hidden, body: registration } }, async (request, reply) => {
    const session = await demandSession(request, deps);
    await demandOwnProof(deps, session, clock.now());
    const { name, credential } = request.body;
    const checked = await checkRegistration(deps, session.user_id, credential, request.log);
    const now = clock.now();
    const row = { id: newId(), user_id: session.user_id, name, ...checked, created_at: now };
    const { token, recoveryCodes } = await dispatcherDb.transaction().execute(async (tx) => {
      if (!(await insertPasskey(tx, row))) throw passkeyErrors.problem("passkey_is_known");
      return afterAdding(tx, session, { method: "passkey", now });
    });
    if (token === undefined) throw refusalOf("session_ended");
    setCookie(request, reply, deps, token);
    deps.mailChange(session.email, `The passkey “${name}” was added to your account.`);
    return { passkey: toApiPasskey({ ...row, last_used_at: null }), recovery_codes: recoveryCodes };
  });
}

/** Alone, or as the second step of a sign-in by password. */
function addSignIn(app: App, deps: PasskeyDeps): void {
  const { dispatcherDb, clock, attempts } = deps;

  const asking = { config, schema: { ...hidden, body: Type.Object({ pending_token }) } };
  app.post("/session/passkey-challenges", asking, async (request) => {
    await attempts.countNetwork(request.ip);
    const { pending_token: token } = request.body;
    const userId = token === undefined ? null : await findPending(deps, token);
    return { options: await authenticationOptions(deps, { purpose: "sign_in", userId }) };
  });

  app.post("/session/passkey", { config, schema: { ...hidden, body: assertion } }, async (request, reply) => {
    await attempts.countNetwork(request.ip);
    const { pending_token: pendingToken, credential } = request.body;
    const browser = browserOf(request);
    const prove = (userId: string | null) =>
      checkAssertion(deps, { purpose: "sign_in", userId }, credential, request.log);
    const token =
      pendingToken === undefined
        ? await signIn(await prove(null))
        : await finishSignIn(deps, { pendingToken, browser }, async (userId) => {
            await prove(userId);
            return "passkey";
          });
    setCookie(request, reply, deps, token);
    return { signed_in: true };

    async function signIn(userId: string): Promise<string> {
      const user = await findUser(dispatcherDb, userId);
      if (!user || user.disabled_at !== null) throw passkeyErrors.problem("passkey_refused");
      return startSession(dispatcherDb, { userId, methods: ["passkey"], now: clock.now(), browser });
    }
  });
}
