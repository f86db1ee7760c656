import { expect, it } from "vitest";
import { actForOrganization } from "../../../platform/postgres/database.ts";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { somebodyWaits } from "../../../testing/somebody-waits.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import { awaitCursor, moveCursor } from "./store.ts";

const { platform, organizations } = await startTallystick();
const { dispatcherDb, clock, config } = platform;
const run = (statement: string) => runOn(config.DATABASE_URL, statement);

// Both cases: a plan that joins compares with the head that it found first, whichever that is.
it.each([
  ["second", [4n, 0n]],
  ["first", [0n, 4n]],
])("a transaction that waited for a cursor still sees that its %s shard is ahead", async (which, positions) => {
  const organizationId = organizations[which === "first" ? 0 : 1]?.id ?? "";
  await run(`insert into event_heads select '${organizationId}', shard, 4 from generate_series(0, 1) as shard`);
  await run(
    `insert into advance_cursors (organization_id, positions, ready_at) values ('${organizationId}', '{0,0}', now())`,
  );
  const { next } = await dispatcherDb.transaction().execute(async (tx) => {
    await awaitCursor(tx, "advance_cursors", organizationId);
    const next = dispatcherDb.transaction().execute((other) => awaitCursor(other, "advance_cursors", organizationId));
    await somebodyWaits(config.DATABASE_URL);
    await actForOrganization(tx, organizationId);
    await moveCursor(tx, "advance_cursors", organizationId, { positions, now: clock.now() });
    return { next };
  });
  expect((await next)?.positions).toEqual(positions);
});
