/** For the command line: a person who lost everything signs in with the password alone again, after the operator knows who asks. */
import type { Database } from "../../../platform/postgres/database.ts";
import { deletePasskeys } from "../passkeys/index.ts";
import { deleteRecoveryCodes, deleteTotp } from "../second-factors/index.ts";
import { revokeSessions } from "../sessions/index.ts";

/** Every session of the person ends. */
export const removeFactors = (dispatcherDb: Database, userId: string, now: Temporal.Instant): Promise<void> =>
  dispatcherDb.transaction().execute(async (tx) => {
    await deleteTotp(tx, userId);
    await deletePasskeys(tx, userId);
    await deleteRecoveryCodes(tx, userId);
    await revokeSessions(tx, userId, { now });
  });
