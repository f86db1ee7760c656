/** Adding and removing an authenticator app, and the recovery codes that come with the first factor. */
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import { raiseSession, revokeSessions } from "../sessions/index.ts";
import type { CodeDeps } from "./check-codes.ts";
import { factorErrors } from "./errors.ts";
import { tryCode } from "./limit-codes.ts";
import { hashOfCode, newRecoveryCodes } from "./recovery-codes.ts";
import { seedColumnsOf, seedOf } from "./seeds.ts";
import { confirmTotp, countRecoveryCodes, findTotp, replaceRecoveryCodes, saveNewTotp } from "./store.ts";
import { findStep, newSecret } from "./totp.ts";

/** Returns the seed, which is shown once. It counts after its first code. */
export async function beginTotp({ dispatcherDb, clock, personalVault }: CodeDeps, userId: string): Promise<string> {
  const secret = newSecret();
  const columns = await seedColumnsOf(userId, secret, personalVault);
  const fresh = { ...columns, created_at: clock.now(), last_step: null };
  if (!(await saveNewTotp(dispatcherDb, userId, fresh))) throw factorErrors.problem("totp_is_active");
  return secret;
}

type Person = { id: string; user_id: string };
/** `token`: the new one of the session. `recoveryCodes`: null if the person has some already. */
export type Added = { token: string | undefined; recoveryCodes: readonly string[] | null };

/** The first code of the app. */
export async function confirm(deps: CodeDeps, session: Person, code: string): Promise<Added> {
  const { dispatcherDb, clock, personalVault } = deps;
  const { user_id: userId } = session;
  const factor = await findTotp(dispatcherDb, userId);
  if (!factor || factor.confirmed_at !== null) throw factorErrors.problem("totp_not_found");
  const seed = seedOf(factor, personalVault);
  const step = await tryCode(deps, userId, async () => findStep(seed, code, clock.now()));
  return dispatcherDb.transaction().execute(async (tx) => {
    const now = clock.now();
    if (!(await confirmTotp(tx, userId, { step, now }))) throw factorErrors.problem("totp_not_found");
    return afterAdding(tx, session, { method: "totp", now });
  });
}

/** The person's other sessions have not proved the new factor, so they end. */
export async function afterAdding(
  tx: Tx,
  { id, user_id: userId }: Person,
  proof: { method: string; now: Temporal.Instant },
): Promise<Added> {
  await revokeSessions(tx, userId, { now: proof.now, except: id });
  const hasCodes = (await countRecoveryCodes(tx, userId)) > 0;
  return {
    token: await raiseSession(tx, id, proof),
    recoveryCodes: hasCodes ? null : await makeRecoveryCodes(tx, userId, proof.now),
  };
}

async function makeRecoveryCodes(tx: Tx, userId: string, now: Temporal.Instant): Promise<string[]> {
  const codes = newRecoveryCodes();
  await replaceRecoveryCodes(tx, userId, { hashes: codes.map(hashOfCode), now });
  return codes;
}

export const renewRecoveryCodes = (dispatcherDb: Database, userId: string, now: Temporal.Instant) =>
  dispatcherDb.transaction().execute((tx) => makeRecoveryCodes(tx, userId, now));
