/** What people need to sign in: their sessions, limits, mails, and the routes under /session and /api/v1. */
import type { FastifyPluginAsync } from "fastify";
import type { People } from "../http/people.ts";
import { refuseWritesByWrongClock } from "../http/wrong-clock.ts";
import {
  createAttempts,
  createPasswords,
  createSessionCookie,
  createSessionReader,
  demandWithin,
  type FactorsOf,
  invitationRoutes,
  joiningRoutes,
  type MailPerson,
  memberRoutes,
  type ProvidersOf,
  roleRoutes,
  sessionRoutes,
  signInRuleRoutes,
} from "../modules/accounts/index.ts";
import type { Clock } from "../platform/clock.ts";
import type { ClockWatch } from "../platform/clock-watch.ts";
import type { Mailer } from "../platform/mail/send-mail.ts";
import { newId } from "../platform/new-id.ts";
import type { Database } from "../platform/postgres/database.ts";
import type { Log } from "../platform/telemetry/log.ts";
import { type Config, publicUrlOf } from "./config.ts";

type Means = {
  config: Config;
  dispatcherDb: Database;
  clock: Clock;
  clockWatch: Pick<ClockWatch, "isTrusted">;
  mailer: Mailer | undefined;
  mails: { from: string };
  log: Log;
};

/** Without second factors and identity providers. */
const factorsOf: FactorsOf = async () => [];
const providersOf: ProvidersOf = async () => [];

export function composePeople(means: Means): {
  people: People;
  pages: FastifyPluginAsync[];
  routes: FastifyPluginAsync[];
} {
  const { dispatcherDb, clock, clockWatch, config } = means;
  const publicUrl = publicUrlOf(config);
  const sessions = createSessionReader({ dispatcherDb, clock, providersOf });
  const cookie = createSessionCookie(publicUrl);
  const mailPerson = mailPersonBy(means);
  const deps = {
    ...{ dispatcherDb, clock, publicUrl, sessions, cookie, mailPerson, factorsOf },
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
      },
    ],
    routes: [
      memberRoutes(clock),
      invitationRoutes({ clock, publicUrl, mailPerson }),
      roleRoutes({ clock, demandWithin }),
      signInRuleRoutes({ clock, providersOf }),
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
