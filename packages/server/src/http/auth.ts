/** Who calls, and whether they may. Every route declares its permission; a route without one is refused. */
import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";
import type { Clock } from "../platform/clock.ts";
import type { AddressLimit } from "./address-limit.ts";
import type { Caller } from "./caller.ts";
import { demandProof, organizationOf, type People, refusalOf, refuseOtherSites, SESSION_ENDED } from "./people.ts";
import { type Action, isAllowed } from "./permission-sets.ts";
import { Problem, refusal } from "./problem.ts";

export type { Actor, Caller } from "./caller.ts";
export type { Action, Permissions } from "./permission-sets.ts";

/** Why a token has no caller. Expired and revoked keys get the same answer. */
export type BadToken = "malformed" | "unknown" | "ended";

/** `mayLookUp`: whether a key that is not known yet may be looked up now; by default it may. */
export type Authenticate = (token: string, mayLookUp?: () => Promise<boolean>) => Promise<Caller | BadToken>;

/** In place of a resource: anyone may call, and no organization is known. */
export const PUBLIC = "public";

/** In place of a resource: who may read one of several. The route answers with what the caller may read of them. */
export const ANY_CALLER = "any";

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller;
  }
  interface FastifyContextConfig {
    /** The resource that the key must be allowed to read (GET) or write (other verbs), or PUBLIC. */
    permission?: string;
    /** A request by POST that changes nothing, such as a preview: it needs the permission to read. */
    isReading?: boolean;
    /** The resources of ANY_CALLER. */
    readsAnyOf?: readonly [string, ...string[]];
    /** What the request, or members of its body, need besides. The route checks it. */
    alsoNeeds?: AlsoNeeds;
    /** A person must have proved lately who it is. Keys need no proof. */
    needsProof?: boolean;
  }
  interface FastifyInstance {
    /** What each route of the API needs, in the order of paths. */
    listPermissions: () => RoutePermission[];
  }
}

/** `when`: the member of the body, for readers of the reference; without one, always. Default: to write. */
export type AlsoNeeds = { resource: string; action?: Action; when?: string };
export type RoutePermission = {
  method: string;
  path: string;
  resource: string;
  action: Action;
  alsoNeeds: AlsoNeeds | undefined;
};

/** Runs at start-up, so that a missing declaration is found before the first request. */
export function demandPermissionOnEveryRoute(app: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  app.addHook("onRoute", (route) => void routes.push(route));
  app.decorate("listPermissions", () => listPermissions(routes));
  app.addHook("onReady", async () => {
    const open = routes
      .filter((route) => !route.config?.permission)
      .map((route) => `${String(route.method)} ${route.url}`);
    if (open.length > 0)
      throw new Error(`These routes declare no permission; add config: { permission: "…" }: ${open.join(", ")}`);
  });
}

const listPermissions = (routes: readonly RouteOptions[]): RoutePermission[] =>
  routes
    .flatMap(({ method, url: path, config = {} }) => {
      const { permission: resource, alsoNeeds } = config;
      if (resource === undefined || resource === PUBLIC || resource === ANY_CALLER || method === "HEAD") return [];
      return { method: String(method), path, resource, action: actionOf(String(method), config), alsoNeeds };
    })
    .toSorted((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));

const actionOf = (method: string, { isReading = false }: { isReading?: boolean }): Action =>
  isReading || method === "GET" || method === "HEAD" ? "read" : "write";

type Callers = { authenticate: Authenticate; people: People; limit: AddressLimit; clock: Clock };

export function authenticateRequests(app: FastifyInstance, { authenticate, people, limit, clock }: Callers): void {
  app.decorateRequest("caller");
  app.addHook("onRequest", async (request, reply) => {
    const mayLookUp = async () => !(await limit.isReached(request.ip));
    const found = await findCaller(request, { authenticate, people, mayLookUp });
    if (found instanceof Problem) {
      if (found.body.status === 401) await limit.count(request.ip);
      throw found;
    }
    const caller = found;
    request.caller = caller;
    request.log = reply.log = request.log.child({
      organization: caller.organizationId,
      [caller.actor.kind]: caller.actor.id,
    });
    if (request.is404) return;
    const { config } = request.routeOptions;
    const { permission, needsProof, readsAnyOf = [] } = config;
    const readable = readsAnyOf.find((resource) => isAllowed(caller.permissions, resource, "read")) ?? readsAnyOf[0];
    demandPermission(caller, permission === ANY_CALLER ? readable : permission, actionOf(request.method, config));
    if (needsProof && caller.person) demandProof(caller.person, clock.now());
  });
}

type Finding = Pick<Callers, "authenticate" | "people"> & { mayLookUp: () => Promise<boolean> };

/** A key counts before a cookie: a program sends it on purpose, a browser sends the cookie by itself. */
async function findCaller(
  request: FastifyRequest,
  { authenticate, people, mayLookUp }: Finding,
): Promise<Caller | Problem> {
  const { authorization, cookie: cookies } = request.headers;
  const cookie = authorization === undefined ? people.readCookie(cookies) : undefined;
  if (cookie !== undefined) {
    refuseOtherSites(request);
    const found = await people.authenticate({ cookie, organizationId: organizationOf(request) }, mayLookUp);
    return typeof found === "string" ? refusalOf(found) : found;
  }
  const found = await callerOf(authorization, (token) => authenticate(token, mayLookUp));
  if (typeof found !== "string") return found;
  const { code, message } = found === "misplaced" ? MISPLACED : UNAUTHORIZED[found];
  return refusal(401, code, { message });
}

/** Without a key, and for each kind of key that does not work. */
const UNAUTHORIZED = {
  missing: {
    code: "api_key_missing",
    message:
      "The request has no API key. Send `Authorization: Bearer tsk_…` with a key made by `npm run keys -- create`.",
  },
  malformed: {
    code: "api_key_malformed",
    message:
      "The API key is incomplete or misspelled: its checksum is wrong. Copy the whole key, from `tsk_` to its last character.",
  },
  unknown: {
    code: "api_key_unknown",
    message:
      "This installation does not know the API key. Check the address of the service, or make a key with `npm run keys -- create`.",
  },
  ended: {
    code: "api_key_ended",
    message: "The API key has expired or was revoked. Make another with `npm run keys -- create`.",
  },
} as const;

/** The key itself may be right. */
const MISPLACED = {
  code: UNAUTHORIZED.malformed.code,
  message:
    "The header `Authorization` has no second word, which would be the API key. Send `Authorization: Bearer tsk_…`: the word `Bearer`, a " +
    "space, and the key.",
};

/** For work that finds out later that the key of its request no longer works. */
export const endedKey = (): Problem => refusal(401, UNAUTHORIZED.ended.code, { message: UNAUTHORIZED.ended.message });

export const UNAUTHORIZED_CODES = [...Object.values(UNAUTHORIZED), SESSION_ENDED];

/** Whose key it is, or what is wrong with it. */
async function callerOf(
  authorization: string | undefined,
  authenticate: (token: string) => Promise<Caller | BadToken>,
): Promise<Caller | BadToken | "missing" | "misplaced"> {
  // The second word is the key, whatever the first one is.
  const token = authorization?.split(" ")[1];
  if (token) return authenticate(token);
  return authorization ? "misplaced" : "missing";
}

/** Routes call it for members that need more than the permission of the route. */
export function demandPermission(caller: Caller, resource: string | undefined, action: Action): void {
  if (resource !== undefined && isAllowed(caller.permissions, resource, action)) return;
  throw refusal(403, `${action}_action_not_allowed_for_${resource}`, {
    message: caller.person
      ? `Your role in this organization does not allow you to ${action} ${resource}. Ask one of its owners or admins for another role.`
      : `The API key has no permission to ${action} ${resource}. Use another key, or make one with the permission ${resource}:${action}.`,
  });
}
