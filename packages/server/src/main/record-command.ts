/** What an operator does at the command line is in the trail too. */
import { recordActivity } from "../modules/accounts/index.ts";
import { inOrganization } from "../platform/postgres/database.ts";
import type { Platform } from "./compose.ts";

type Done = { command: string; operation: string; object: { type: string; id: string | null } };

/** After the work, in a transaction of its own: a process that ends in between leaves the work without an activity. */
export const recordCommand = (
  { db, clock }: Pick<Platform, "db" | "clock">,
  organizationId: string,
  { command, operation, object }: Done,
): Promise<unknown> =>
  inOrganization(db, organizationId, (tx) =>
    recordActivity(tx, organizationId, {
      at: clock.now(),
      actor: { kind: "command", id: command },
      operation,
      object,
    }),
  );
