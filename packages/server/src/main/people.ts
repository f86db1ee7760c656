/** What people need to sign in: their sessions, limits, mails, and the routes under /session and /api/v1. */
import type { FastifyPluginAsync } from "fastify";
import type { People } from "../http/people.ts";
import { refuseWritesByWrongClock } from "../http/wrong-clock.ts";
import {
  type CountSecurity,
  createAttempts,
  createFactorsOf,
  createPasswords,
  createPersonalVault,
  createSessionCookie,
  createSessionReader,
  demandWithin,
  findUser,
  identityProviderRoutes,
  invitationRoutes,
  joiningRoutes,
  type MailChange,
  type MailPerson,
  memberRoutes,
  passkeyRoutes,
  proofRoutes,
  providerSignInRoutes,
  roleRoutes,
  secondFactorRoutes,
  sessionRoutes,
  signInRuleRoutes,
  type Vault,
} from "../modules/accounts/index.ts";
import type { Clock } from "../platform/clock.ts";
import type { ClockWatch } from "../platform/clock-watch.ts";
import type { Mailer } from "../platform/mail/send-mail.ts";
import { newId } from "../platform/new-id.ts";
import type { OutboundHttp } from "../platform/outbound-http/outbound-http.ts";
import type { Database } from "../platform/postgres/database.ts";
import type { MasterKeys } from "../platform/secrets/master-keys.ts";
import type { Log } from "../platform/telemetry/log.ts";
import { type Config, publicUrlOf } from "./config.ts";

type Means = {
  config: Config;
  masterKeys: MasterKeys | null;
  vault: Vault;
  outbound: OutboundHttp;
  db: Database;
  dispatcherDb: Database;
  clock: Clock;
  clockWatch: Pick<ClockWatch, "isTrusted">;
  mailer: Mailer | undefined;
  mails: { from: string };
  log: Log;
  countSecurity: CountSecurity;
};

export function composePeople(means: Means): {
  people: People;
  pages: FastifyPluginAsync[];
  routes: FastifyPluginAsync[];
} {
  const { db, dispatcherDb, clock, clockWatch, config, vault, outbound } = means;
  const publicUrl = publicUrlOf(config);
  const sessions = createSessionReader({ dispatcherDb, clock });
  const cookie = createSessionCookie(publicUrl);
  const mailPerson = mailPersonBy(means);
  const mailChange = mailChangeBy(means, mailPerson);
  const deps = {
    ...{ dispatcherDb, clock, publicUrl, sessions, cookie, mailPerson },
    ...{ db, vault, outbound, personalVault: createPersonalVault(means) },
    factorsOf: createFactorsOf(dispatcherDb),
    mailChange,
    onCodeReused: onCodeReusedBy(means, mailChange),
    countSecurity: means.countSecurity,
    attempts: createAttempts({
      dispatcherDb,
      clock,
      limits: { email: config.SIGN_INS_OF_EMAIL, network: config.SIGN_INS_OF_NETWORK },
    }),
    passwords: createPasswords(),
  };
  return {
    people: { readCookie: cookie.read, authenticate: sessions.authenticate },
    pages: [
      async (app) => {
        refuseWritesByWrongClock(app, clockWatch);
        await app.register(sessionRoutes(deps));
        await app.register(joiningRoutes(deps));
        await app.register(secondFactorRoutes(deps));
        await app.register(passkeyRoutes(deps));
        await app.register(proofRoutes(deps));
        await app.register(providerSignInRoutes(deps));
      },
    ],
    routes: [
      memberRoutes(clock),
      invitationRoutes({ clock, publicUrl, mailPerson }),
      roleRoutes({ clock, demandWithin }),
      signInRuleRoutes(clock),
      identityProviderRoutes(deps),
    ],
  };
}

/** At once and not through the queue: a link that works once is not stored, and who waits for it asks again. */
const mailPersonBy =
  ({ mailer, mails, log }: Means): MailPerson =>
  async ({ to, subject, text }) => {
    if (!mailer) return "off";
    const messageId = `<${newId()}@${mails.from.split("@")[1] ?? "localhost"}>`;
    const from = { name: "Tallystick", address: mails.from };
    const { outcome, response } = await mailer.send({ messageId, from, replyTo: [], to: [to], subject, text });
    if (outcome === "taken" || outcome === "unknown") return "sent";
    log.warn({ response }, "an email to a person was not sent");
    return "failed";
  };

/** Without a mail server, nobody learns of it. */
const mailChangeBy =
  ({ log }: Means, mailPerson: MailPerson): MailChange =>
  (to, what) => {
    const text = `${what}\n\nIf it was not you, change your password, end your other sessions, and say so to an owner of your organization.\n`;
    const mail = { to, subject: "A change of how you sign in", text };
    void mailPerson(mail).catch((error: unknown) => log.error({ err: error }, "a change was not mailed"));
  };

/** Two of the same code: another person may have seen it, or the person sent it twice. */
const onCodeReusedBy =
  ({ dispatcherDb, log }: Means, mailChange: MailChange) =>
  (userId: string): void => {
    log.warn({ person: userId }, "a code of an authenticator app was sent twice");
    const what = "A code of your authenticator app was sent a second time, and refused.";
    void findUser(dispatcherDb, userId)
      .then((user) => user && mailChange(user.email, what))
      .catch((error: unknown) => log.error({ err: error }, "a refused code was not mailed"));
  };
