/** A person who left: the sessions end, and no sign-in works. */
import type { Database } from "../../../platform/postgres/database.ts";
import { revokeSessions } from "../sessions/index.ts";
import { setDisabled } from "../users/index.ts";

type Disabling = { userId: string; isDisabled: boolean; now: Temporal.Instant };

export const setUserDisabled = (dispatcherDb: Database, { userId, isDisabled, now }: Disabling): Promise<void> =>
  dispatcherDb.transaction().execute(async (tx) => {
    await setDisabled(tx, userId, isDisabled ? now : null);
    if (isDisabled) await revokeSessions(tx, userId, { now });
  });
