/** /test_clocks: simulated time for the customers that use it. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { parseInstant } from "@tallystick/core/time";
import { invalid } from "../../../http/problem.ts";
import { newId } from "../../../platform/new-id.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findOrganization } from "../../accounts/index.ts";
import { type AdvanceDeps, awaitAdvance, cancelAdvance, catchUpClock, startAdvance } from "./advance-test-clock.ts";
import { testClockErrors } from "./errors.ts";
import {
  type ApiTestClock,
  advanceTestClock,
  cancelTestClock,
  createTestClock,
  deleteTestClock,
  listTestClocks,
  showTestClock,
  type TestClockRow,
  testClockList,
  toApiTestClock,
} from "./schema.ts";
import { findTestClock, IDLE, insertTestClock, lockTestClock, pageOfTestClocks, updateTestClock } from "./store.ts";

type Deps = AdvanceDeps & {
  /** Runs before the transaction that deletes customers: events accepted so far are billed by their current subscriptions. */
  beforeChange: (organizationId: string) => Promise<void>;
  /** Deletes the customers of a clock, like DELETE /customers. */
  deleteCustomersOfClock: (
    tx: Tx,
    organizationId: string,
    testClock: { id: string; now: Temporal.Instant },
  ) => Promise<void>;
};

export const testClockRoutes =
  (deps: Deps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const [{ clock }, catchUp] = [deps, catchUpClock(deps)];
    const config = { permission: "test_clock" };
    let isStopping = false;
    app.addHook("preClose", async () => {
      isStopping = true;
    });

    app.post("/test_clocks", { schema: createTestClock, config }, (request) =>
      request.write(async (tx, organizationId) => {
        await demandSandbox(tx, organizationId);
        const { name = null, now } = request.body.test_clock;
        return answer(
          await insertTestClock(tx, organizationId, {
            id: newId(),
            name,
            now: readInstant(now),
            createdAt: clock.now(),
          }),
        );
      }),
    );

    app.post("/test_clocks/:svc_id/advance", { schema: advanceTestClock, config }, (request) => {
      const id = request.params.svc_id;
      const { now, confirm = false } = request.body.test_clock;
      const to = readInstant(now);
      return request.write(
        async (tx, organizationId) =>
          answer(await startAdvance(tx, organizationId, { id, to, isConfirmed: confirm, now: clock.now() })),
        async () => answer(await awaitAdvance(deps, request.caller.organizationId, id, () => isStopping)),
      );
    });

    app.post("/test_clocks/:svc_id/cancel", { schema: cancelTestClock, config }, (request) =>
      request.write(
        async (tx, organizationId) => answer(await cancelAdvance(tx, organizationId, request.params.svc_id)),
        // The last step may have ended between two pieces of work of one instant.
        (canceled) => catchUp(request.caller.organizationId, request.params.svc_id).then(() => canceled),
      ),
    );

    app.get("/test_clocks", { schema: listTestClocks, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const { rows, meta } = await pageOfTestClocks(tx, organizationId, testClockList.read(request.query));
        return { test_clocks: rows.map(toApiTestClock), meta };
      }),
    );

    app.get("/test_clocks/:svc_id", { schema: showTestClock, config }, (request) =>
      request.read(async (tx, organizationId) =>
        answer(await findTestClock(tx, organizationId, request.params.svc_id)),
      ),
    );

    app.delete("/test_clocks/:svc_id", { schema: deleteTestClock, config }, async (request) => {
      await deps.beforeChange(request.caller.organizationId);
      return request.write(async (tx, organizationId) => {
        const testClock = await lockTestClock(tx, organizationId, request.params.svc_id);
        // A failing advance makes no progress, so deleting the clock may end it.
        if (testClock?.advancing_to && testClock.attempts === 0) throw testClockErrors.problem("test_clock_advancing");
        if (!testClock) throw testClockErrors.problem("test_clock_not_found");
        if (testClock.advancing_to) await updateTestClock(tx, organizationId, testClock.id, IDLE);
        await deps.deleteCustomersOfClock(tx, organizationId, testClock);
        return answer(await updateTestClock(tx, organizationId, testClock.id, { deleted_at: clock.now() }));
      });
    });
  };

async function demandSandbox(tx: Tx, organizationId: string): Promise<void> {
  const organization = await findOrganization(alone(tx), organizationId);
  if (!organization.is_sandbox) throw testClockErrors.problem("test_clocks_need_a_sandbox");
}

function answer(row: TestClockRow | undefined): { test_clock: ApiTestClock } {
  if (!row) throw testClockErrors.problem("test_clock_not_found");
  return { test_clock: toApiTestClock(row) };
}

function readInstant(text: string): Temporal.Instant {
  const instant = parseInstant(text);
  if (!instant) throw invalid({ now: ["invalid_date"] });
  return instant;
}
