import { dispatchMessages } from "../jobs/outbox.ts";
import type { Platform } from "../main/compose.ts";
import { runOn } from "../platform/postgres/temporary-database.ts";

/** Publishes the waiting messages of one object and nothing else. */
export async function deliverOf(platform: Platform, objectId: string): Promise<void> {
  const first = "update outbox set ready_at = '2000-01-01' where object_id = $1 and dispatched_at is null returning id";
  const { length } = await runOn(platform.config.DATABASE_URL, first, [objectId]);
  if (length > 0) await dispatchMessages(platform, platform.subscribers, length);
}
