import { expect, test } from "vitest";
import { systemClock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/new-id.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import { inOrganization } from "../../../platform/postgres/database.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import { parkItem } from "./index.ts";

const { platform, organizations } = await startTallystick();
const organizationId = organizations[0]?.id ?? "";

// Postgres plans a prepared statement once for all parameters after several uses.
test("with any number of parked items, each is parked once", async () => {
  const parked = await inOrganization(platform.db, organizationId, async (tx) => {
    const ids: (string | undefined)[] = [];
    for (let number = 0; number < 20; number++) {
      const object = { type: "event", id: newId() };
      const item = { kind: "event", object, customerId: null, source: "advance_fees", reason: "too large" } as const;
      for (const _ of ["first", "again"]) ids.push(await parkItem(alone(tx), organizationId, item, systemClock.now()));
    }
    return ids;
  });
  expect(parked.filter((id) => id !== undefined)).toHaveLength(20);
  expect(parked.filter((_, place) => place % 2 === 1)).toEqual(Array(20).fill(undefined));
});
