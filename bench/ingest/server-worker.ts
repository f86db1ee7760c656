/** The service in its own process, and two servers for comparison: one statement per request, and no database at all. */

import { NO_LIMITS } from "../../packages/server/src/http/rate-limit.ts";
import { buildServer } from "../../packages/server/src/http/server.ts";
import { composeApi, composePlatform, type Platform } from "../../packages/server/src/main/compose.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../../packages/server/src/main/limit-settings.ts";
import { createAuthenticate } from "../../packages/server/src/modules/accounts/index.ts";
import { deprecatedMembers } from "../../packages/server/src/modules/compatibility/index.ts";
import { type Submit, storeRequests } from "../../packages/server/src/modules/events/ingest/group-commit.ts";
import { outcomesOf } from "../../packages/server/src/modules/events/ingest/outcomes.ts";
import { receiveOne } from "../../packages/server/src/modules/events/ingest/receive-events.ts";
import { createEvent } from "../../packages/server/src/modules/events/ingest/schema.ts";
import { createLimiter } from "../../packages/server/src/platform/limiter/limiter.ts";
import { newIdBytes, toIdTexts } from "../../packages/server/src/platform/new-id.ts";

export type Serving = { databaseUrl: string; kind: "service" | "statement a request" | "no database" };

process.once("message", async ({ databaseUrl, kind }: Serving) => {
  const platform = composePlatform(readConfig({ DATABASE_URL: databaseUrl, LOG_LEVEL: "silent", ...NO_RATE_LIMITS }));
  const app = kind === "service" ? await composeApi(platform) : await serveSingles(platform, submitOf(platform, kind));
  process.send?.(await app.listen({ host: "127.0.0.1", port: 0 }));
  process.once("disconnect", () => process.exit());
});

/** Route and parsing as in the service; only storing differs. */
function serveSingles(platform: Platform, submit: Submit) {
  return buildServer({
    ...platform,
    version: "bench",
    meaningOf: () => undefined,
    authenticate: createAuthenticate(platform.dispatcherDb, platform.clock),
    rateLimits: NO_LIMITS,
    limiter: createLimiter(),
    readMetrics: async () => "",
    findObstacles: async () => [],
    findWarnings: async () => [],
    findStuck: async () => [],
    publicUrl: "http://127.0.0.1",
    describedUrl: null,
    corsOrigins: [],
    deprecated: deprecatedMembers,
    pages: [],
    webhooks: {},
    routes: [
      async (app) => {
        const config = { permission: "event", keepsBodyText: true };
        const refused = { add: () => undefined, close: async () => undefined };
        const deps = { clock: platform.clock, submit, refused, tellTime: async (_: unknown, events: never) => events };
        app.post("/events", { schema: createEvent, config, attachValidation: true }, async (request, reply) =>
          reply.type("application/json; charset=utf-8").send(await receiveOne(deps as never, request)),
        );
      },
    ],
  });
}

function submitOf({ db, clock, config }: Platform, kind: Serving["kind"]): Submit {
  if (kind === "no database")
    return async (_, events) => {
      const ids = toIdTexts(newIdBytes(events.length));
      const [outcome] = outcomesOf([events], { receivedAt: 0n, ids, repeats: [] });
      return outcome ?? { conflicts: [] };
    };
  // As many concurrent statements as connections, each with its own positions, so that none waits for another's head.
  const free = Array.from({ length: config.DATABASE_CONNECTIONS }, (_, lane) => lane);
  const waiting: ((lane: number) => void)[] = [];
  return async (organizationId, events) => {
    const lane = free.pop() ?? (await new Promise<number>((resolve) => waiting.push(resolve)));
    const [outcome] = await storeRequests({ db, clock, organizationId, lane }, [events]);
    const next = waiting.shift();
    if (next) next(lane);
    else free.push(lane);
    return outcome ?? { conflicts: [] };
  };
}
