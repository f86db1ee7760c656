/** The HTTP server: limits, request ids, security headers, operator pages, and the API with its routes. */
import helmet from "@fastify/helmet";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import Fastify, { type FastifyInstance, type FastifyPluginAsync } from "fastify";
import { sql } from "kysely";
import type { Clock } from "../platform/clock.ts";
import type { ClockWatch } from "../platform/clock-watch.ts";
import type { Limiter } from "../platform/limiter/limiter.ts";
import { newId } from "../platform/new-id.ts";
import type { Database } from "../platform/postgres/database.ts";
import type { Log } from "../platform/telemetry/log.ts";
import type { Metrics } from "../platform/telemetry/metrics.ts";
import { offerActivities, type RecordActivity } from "./activities.ts";
import { type AddressLimit, createAddressLimit } from "./address-limit.ts";
import { type Authenticate, authenticateRequests, demandPermissionOnEveryRoute, PUBLIC } from "./auth.ts";
import { acceptJsonBodies, refuseUnstorableUrl } from "./body.ts";
import { addBrowserPages } from "./browser-pages.ts";
import { allowOrigins, compressAnswers } from "./browsers.ts";
import { closePromptly } from "./closing.ts";
import type { MeaningOf } from "./error-messages.ts";
import { type AnswerError, answerUnreadable, createAnswerError } from "./errors.ts";
import { offerEtags } from "./etags.ts";
import { offerTurns, takeFairTurns } from "./fair-turns.ts";
import { renameForCallers } from "./field-prefix.ts";
import { FORMATS, isOfFormat } from "./formats.ts";
import { forwardHeavyWork, takeTurnsWithHeavyWork } from "./heavy-work.ts";
import { type ApiWords, describeApi, idOf } from "./openapi.ts";
import { NO_PEOPLE, type People } from "./people.ts";
import { offerPublicUrl } from "./public-url.ts";
import { limitCallers, limitPublicRoutes, limitWhoeverHasWaited, type RateLimits } from "./rate-limit.ts";
import { refuseUnknownMembers } from "./strict-requests.ts";
import { type AnswerBox, offerTransactions } from "./transactions.ts";
import { type Translation, translateForOldClients } from "./translations.ts";
import { refuseUnknownPaths } from "./unknown-paths.ts";
import { refuseWritesByWrongClock } from "./wrong-clock.ts";

/** Without ids, because the pages that show it need no key. */
export type Stuck = { kind: string; count: number; oldest_at: string | null; what_to_do: string };

export type ServerOptions = {
  db: Database;
  clock: Clock;
  clockWatch: Pick<ClockWatch, "isTrusted">;
  log: Log;
  metrics: Metrics;
  version: string;
  /** What each code of a refusal means, and what to do. */
  meaningOf: MeaningOf;
  /** The webhook messages, for the API description. */
  webhooks: Record<string, object>;
  /** The words of the API description that no route knows. */
  words?: ApiWords;
  /** The address of the service in links. */
  publicUrl: string;
  /** The same for the API description; null if it is unknown. */
  describedUrl: string | null;
  /** The proxies whose `X-Forwarded-*` headers count: addresses and networks. */
  trustedProxies?: readonly string[];
  timeouts?: { headersSeconds: number; requestSeconds: number };
  /** The origins of pages that may call the API from a browser. */
  corsOrigins: readonly string[];
  authenticate: Authenticate;
  /** Without it, only keys call. */
  people?: People;
  answerBox: AnswerBox;
  recordActivity: RecordActivity;
  rateLimits: RateLimits;
  limiter: Limiter;
  /** The socket of a process that answers heavy requests; undefined if this one does. */
  heavySocket?: string | undefined;
  /** The metrics of all processes of the service. */
  readMetrics: () => Promise<string>;
  /** What keeps the service from working, in words; empty if it is ready. */
  findObstacles: () => Promise<string[]>;
  /** What does not work although the service accepts requests. */
  findWarnings: () => Promise<string[]>;
  /** Work that has waited for long or failed many times. It never makes the service unready: one failing item must not stop the others. */
  findStuck: () => Promise<readonly Stuck[]>;
  /** For organizations that use removed members. */
  deprecated: Translation;
  routes: readonly FastifyPluginAsync[];
  /** Outside of the API: for a browser, without a key. */
  pages: readonly FastifyPluginAsync[];
  /** Where the built console lies. Without it, this process has no pages for people. */
  consoleFolder?: string;
};

export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const answerError = createAnswerError(options.meaningOf);
  const app = createFastify(options, answerError);
  closePromptly(app);
  demandPermissionOnEveryRoute(app);
  offerTurns(app);
  acceptJsonBodies(app);
  app.setErrorHandler(answerError);
  app.addHook("onRequest", async (request, reply) => void reply.header("X-Request-Id", request.id));
  app.addHook("onResponse", async (request, reply) => {
    const labels = {
      method: request.method,
      route: request.routeOptions.url ?? "none",
      status: String(reply.statusCode),
    };
    options.metrics.requestSeconds.observe(labels, reply.elapsedTime / 1000);
  });
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  });
  await allowOrigins(app, options.corsOrigins);
  await compressAnswers(app);
  // The last one, so that its refusals have an id and the headers too.
  app.addHook("onRequest", refuseUnstorableUrl);
  const addressLimit = createAddressLimit(options.rateLimits.address, options.limiter);
  limitPublicRoutes(app, addressLimit);
  await describeApi(app, options);
  offerPublicUrl(app, options.publicUrl);
  addOperatorPages(app, options);
  for (const page of options.pages) await app.register(page);
  await app.register((api) => addApi(api, options, addressLimit), { prefix: "/api/v1" });
  const answerPage =
    options.consoleFolder === undefined ? undefined : await addBrowserPages(app, options.consoleFolder);
  refuseUnknownPaths(app, answerPage);
  return app;
}

function createFastify(options: ServerOptions, answerError: AnswerError): FastifyInstance {
  const { headersSeconds, requestSeconds } = options.timeouts ?? { headersSeconds: 10, requestSeconds: 30 };
  return Fastify({
    loggerInstance: options.log,
    // Without a list, these headers are the caller's words and count for nothing.
    trustProxy: options.trustedProxies?.length ? [...options.trustedProxies] : false,
    bodyLimit: 1024 * 1024,
    requestTimeout: requestSeconds * 1000,
    keepAliveTimeout: 10_000,
    // By default, Node looks for requests that take too long only every 30 seconds.
    http: { maxHeaderSize: 16 * 1024, headersTimeout: headersSeconds * 1000, connectionsCheckingInterval: 500 },
    routerOptions: { maxParamLength: 2048, ignoreTrailingSlash: true },
    forceCloseConnections: "idle",
    // A request that arrives on an open connection while the service stops is answered, as the last one there.
    return503OnClosing: false,
    // Keep the caller's id if it is safe in a log, so that both sides can find the request.
    genReqId: (request) => {
      const input = request.headers["x-request-id"];
      return typeof input === "string" && /^[\w.:-]{1,128}$/.test(input) ? input : newId();
    },
    // This runs before routing, so no hook has run.
    frameworkErrors: (error, request, reply) =>
      void answerError(error, request, reply.header("X-Request-Id", request.id) as never),
    clientErrorHandler: answerUnreadable,
    ajv: {
      customOptions: {
        coerceTypes: false,
        useDefaults: false,
        removeAdditional: false,
        allErrors: true,
        verbose: true,
        keywords: ["x-code", "x-type", "x-type-code", "x-described"],
        allowUnionTypes: true,
      },
      // Last, because the framework has a `date` of its own, which knows a year 0.
      onCreate: (ajv) => {
        for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, isOfFormat(format));
      },
    },
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as FastifyInstance;
}

async function addApi(api: FastifyInstance, options: ServerOptions, addressLimit: AddressLimit): Promise<void> {
  authenticateRequests(api, { ...options, people: options.people ?? NO_PEOPLE, limit: addressLimit });
  refuseWritesByWrongClock(api, options.clockWatch);
  const operationIds = options.words?.operationIds ?? {};
  const operationOf = (method: string, url: string) => idOf(method, url, { operationIds });
  offerTransactions(api, { ...options, record: offerActivities(api, { ...options, operationOf }) });
  limitCallers(api, options.rateLimits, options.limiter);
  if (options.heavySocket === undefined) takeTurnsWithHeavyWork(api);
  else forwardHeavyWork(api, options.heavySocket);
  takeFairTurns(api);
  limitWhoeverHasWaited(api, options.rateLimits, options.limiter);
  offerEtags(api);
  translateForOldClients(api, options.deprecated);
  // After the removed members are in an answer, and before the parameters of a request are checked.
  renameForCallers(api);
  refuseUnknownMembers(api, options.deprecated.isRemoved);
  // Here too, so that an unknown path also needs a key.
  refuseUnknownPaths(api);
  for (const routes of options.routes) await api.register(routes);
}

function addOperatorPages(app: FastifyInstance, options: ServerOptions): void {
  const { db, metrics, version, findObstacles, findWarnings, findStuck, readMetrics } = options;
  const page = { schema: { hide: true }, config: { permission: PUBLIC } };
  app.get("/health", page, async (_request, reply) => {
    const isHealthy = await sql`select 1`.execute(db).then(
      () => true,
      () => false,
    );
    if (!isHealthy) reply.status(500);
    const github_url = "https://github.com/tallystick/tallystick";
    return { version, github_url, message: isHealthy ? "Success" : "Unhealthy" };
  });
  app.get("/ready", page, async (_request, reply) => {
    const [obstacles, warnings, stuck] = await Promise.all([findObstacles(), findWarnings(), findStuck()]);
    if (obstacles.length > 0) reply.status(503);
    return { ready: obstacles.length === 0, obstacles, warnings, stuck };
  });
  app.get("/metrics", page, async (_request, reply) => {
    const shown = [await readMetrics(), await metrics.showStuck(await findStuck())];
    return reply.type(metrics.registry.contentType).send(shown.join("\n"));
  });
}
