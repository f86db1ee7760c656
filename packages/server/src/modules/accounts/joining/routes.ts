/** What people without a session can do: open a setup link, accept an invitation, replace a password. And make an organization. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { type Static, Type } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import { PUBLIC } from "../../../http/auth.ts";
import { mandatoryText } from "../../../http/fields.ts";
import { refusal } from "../../../http/problem.ts";
import { findInvitationByToken, type MailPerson } from "../invitations/index.ts";
import { findLink, hashOf } from "../links/index.ts";
import {
  browserOf,
  demandSession,
  guardSessionRoutes,
  type SessionDeps,
  sessionErrors,
  setCookie,
  startSession,
} from "../sessions/index.ts";
import { emailSchema, findUserByEmail, normalizeEmail, passwordSchema } from "../users/index.ts";
import { type NewPerson, readyPerson } from "./become-user.ts";
import { acceptInvitation, makeOwnOrganization, setUpOwner } from "./join.ts";
import { mailResetLink, resetPassword } from "./reset-password.ts";

export type JoiningDeps = SessionDeps & { publicUrl: string; mailPerson: MailPerson };

const config = { permission: PUBLIC };
const hide = true;
const token = Type.String({ maxLength: 100 });
const name = Type.String({ maxLength: 255 });
/** A person who is signed in sends the token alone. */
const joining = Type.Object({
  token,
  email: Type.Optional(emailSchema),
  name: Type.Optional(name),
  password: Type.Optional(passwordSchema),
});
const newOrganization = Type.Object({ name: mandatoryText(), is_sandbox: Type.Optional(Type.Boolean()) });

export const joiningRoutes =
  (deps: JoiningDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { dispatcherDb, clock, attempts } = deps;
    guardSessionRoutes(app);

    app.post("/session/setup", { config, schema: { hide, body: joining } }, async (request, reply) => {
      const link = await findLink(dispatcherDb, { tokenHash: hashOf(request.body.token), now: clock.now() });
      // First of all: without the token, the answer must not tell who exists.
      if (link?.kind !== "setup") throw sessionErrors.problem("link_not_found");
      return join(request, reply, deps, { email: request.body.email, enter: setUpOwner });
    });

    app.post("/session/invitations/accept", { config, schema: { hide, body: joining } }, async (request, reply) => {
      const invitation = await findInvitationByToken(dispatcherDb, hashOf(request.body.token), clock.now());
      if (!invitation) throw sessionErrors.problem("link_not_found");
      return join(request, reply, deps, { email: invitation.email, enter: acceptInvitation });
    });

    app.post("/session/links", { config, schema: { hide, body: Type.Object({ token }) } }, async (request) => {
      await attempts.countNetwork(request.ip);
      return { link: await describeLink(deps, request.body.token) };
    });

    app.post("/session/organizations", { config, schema: { hide, body: newOrganization } }, async (request) => {
      const session = await demandSession(request, deps);
      await attempts.countEmail(session.email, "organization");
      const { name, is_sandbox: isSandbox = false } = request.body;
      const made = { name, isSandbox, userId: session.user_id, now: clock.now() };
      const id = await makeOwnOrganization(dispatcherDb, made);
      deps.sessions.forget(deps.cookie.read(request.headers.cookie) ?? "");
      return { organization: { id, name, is_sandbox: isSandbox, role: "owner" } };
    });

    addPasswordResets(app, deps);
  };

type App = Parameters<FastifyPluginAsyncTypebox>[0];

function addPasswordResets(app: App, deps: JoiningDeps): void {
  const { attempts } = deps;
  const resetRequest = Type.Object({ email: emailSchema });
  const reset = Type.Object({ token, password: passwordSchema });

  app.post("/session/password-resets", { config, schema: { hide, body: resetRequest } }, async (request) => {
    const email = normalizeEmail(request.body.email);
    await attempts.countNetwork(request.ip);
    await attempts.countEmail(email, "reset");
    // The answer comes first, so that it tells nothing about whether there is such a person.
    void mailResetLink(deps, email).catch((error: unknown) => request.log.error({ err: error }, "no reset was mailed"));
    return { mailed_if_known: true };
  });

  app.put("/session/password-resets", { config, schema: { hide, body: reset } }, async (request) => {
    await attempts.countNetwork(request.ip);
    await resetPassword(deps, request.body);
    return { changed: true };
  });
}

type Way = { email: string | undefined; enter: typeof setUpOwner };

/** With a session, its person joins; otherwise a new person does, and is signed in. */
async function join(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: JoiningDeps,
  { email, enter }: Way,
): Promise<{ signed_in: true }> {
  const { token, name, password } = request.body as Static<typeof joining>;
  const cookie = deps.cookie.read(request.headers.cookie);
  const session = cookie === undefined ? undefined : await deps.sessions.find(cookie);
  const now = deps.clock.now();
  if (session) {
    await enter(deps.dispatcherDb, { token, now, user: { id: session.user_id, email: session.email } });
    deps.sessions.forget(cookie ?? "");
    return { signed_in: true };
  }
  await deps.attempts.countNetwork(request.ip);
  const person = await readyPerson(await demandPerson({ email, name, password }, deps), deps.passwords);
  const userId = await enter(deps.dispatcherDb, { token, now, person });
  const started = { userId, methods: ["password"], now, browser: browserOf(request) };
  setCookie(request, reply, deps, await startSession(deps.dispatcherDb, started));
  return { signed_in: true };
}

/** Before a password is computed. */
async function demandPerson(
  { email, name, password }: { [K in keyof NewPerson]: NewPerson[K] | undefined },
  { dispatcherDb }: Pick<JoiningDeps, "dispatcherDb">,
): Promise<NewPerson> {
  if (email !== undefined && (await findUserByEmail(dispatcherDb, normalizeEmail(email))))
    throw sessionErrors.problem("sign_in_first");
  if (email !== undefined && name?.trim() && password !== undefined) return { email, name, password };
  throw refusal(400, undefined, {
    message: "Send `name` and `password`, and with a setup link `email`; or sign in first, and send the token alone.",
  });
}

/** For the page that opens a link: what it is for. */
async function describeLink({ dispatcherDb, clock }: JoiningDeps, text: string) {
  const tokenHash = hashOf(text);
  const now = clock.now();
  const invitation = await findInvitationByToken(dispatcherDb, tokenHash, now);
  if (invitation) {
    const { email, organization_name } = invitation;
    const has_account = (await findUserByEmail(dispatcherDb, email)) !== undefined;
    return { kind: "invitation", email, organization_name, has_account };
  }
  const link = await findLink(dispatcherDb, { tokenHash, now });
  if (!link) throw sessionErrors.problem("link_not_found");
  return { kind: link.kind, email: null, organization_name: null, has_account: null };
}
