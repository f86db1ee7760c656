/** A forgotten password: a link by mail or from the command line, and the new password for it. It ends every session of the person. */
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/postgres/database.ts";
import type { MailPerson } from "../invitations/index.ts";
import { dropLinksOfUser, findLink, hashOf, issueLink, linkUrl, takeLink } from "../links/index.ts";
import { type MailChange, revokeSessions, sessionErrors } from "../sessions/index.ts";
import { demandGoodPassword, findUser, findUserByEmail, type Passwords, setPassword } from "../users/index.ts";

type Deps = { dispatcherDb: Database; clock: Clock; publicUrl: string };

/** The link; undefined if there is no such person. */
export async function makeResetLink(
  { dispatcherDb, clock, publicUrl }: Deps,
  email: string,
): Promise<string | undefined> {
  const user = await findUserByEmail(dispatcherDb, email);
  if (!user || user.disabled_at !== null) return undefined;
  const link = await issueLink(dispatcherDb, { kind: "password_reset", userId: user.id }, clock.now());
  return linkUrl(publicUrl, "password_reset", link);
}

export async function mailResetLink(deps: Deps & { mailPerson: MailPerson }, email: string): Promise<void> {
  const link = await makeResetLink(deps, email);
  if (link === undefined) return;
  await deps.mailPerson({
    to: email,
    subject: "Choose a new password",
    text: `Open this link to choose a new password for Tallystick; it works for 30 minutes and once:\n\n${link}\n\nIf you did not ask for it, ignore this mail: your password stays as it is.\n`,
  });
}

type Resetting = Pick<Deps, "dispatcherDb" | "clock"> & { passwords: Passwords; mailChange: MailChange };
type Reset = { token: string; password: string };

export async function resetPassword(
  { dispatcherDb, clock, passwords, mailChange }: Resetting,
  { token, password }: Reset,
): Promise<void> {
  const tokenHash = hashOf(token);
  const found = await findLink(dispatcherDb, { tokenHash, now: clock.now() });
  const user =
    found?.kind === "password_reset" && found.user_id ? await findUser(dispatcherDb, found.user_id) : undefined;
  if (!user || user.disabled_at !== null) throw sessionErrors.problem("link_not_found");
  demandGoodPassword(password, user);
  const hash = await passwords.hash(password);
  const now = clock.now();
  await dispatcherDb.transaction().execute(async (tx) => {
    if (!(await takeLink(tx, { tokenHash, kind: "password_reset", now })))
      throw sessionErrors.problem("link_not_found");
    await setPassword(tx, user.id, hash);
    await dropLinksOfUser(tx, user.id, { kind: "password_reset", now });
    await dropLinksOfUser(tx, user.id, { kind: "second_factor", now });
    await revokeSessions(tx, user.id, { now });
  });
  mailChange(user.email, "Your password was replaced through a link.");
}
