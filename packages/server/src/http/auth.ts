/** Who calls, and whether they may. Every route declares its permission; a route without one is refused. */
import type { FastifyInstance, RouteOptions } from "fastify";
import type { AddressLimit } from "./address-limit.ts";
import { refusal } from "./problem.ts";

export type Action = "read" | "write";
/** What a caller may do, by resource; null means everything. */
export type Permissions = Record<string, readonly Action[]> | null;
/** Who sends requests: an API key, or a person who signed in. */
export type Actor = { kind: "key" | "person"; id: string };
export type Caller = {
  organizationId: string;
  actor: Actor;
  permissions: Permissions;
  /** Whether its organization also uses removed members. */
  usesDeprecated: boolean;
  /** Whether members that an operation does not know are ignored instead of refused. */
  ignoresUnknown: boolean;
  /** What members such as `svc_id` begin with. */
  fieldPrefix: string;
};

/** Why a token has no caller. Expired and revoked keys get the same answer. */
export type BadToken = "malformed" | "unknown" | "ended";

/** `mayLookUp`: whether a key that is not known yet may be looked up now; by default it may. */
export type Authenticate = (token: string, mayLookUp?: () => Promise<boolean>) => Promise<Caller | BadToken>;

/** In place of a resource: anyone may call, and no organization is known. */
export const PUBLIC = "public";

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller;
  }
  interface FastifyContextConfig {
    /** The resource that the key must be allowed to read (GET) or write (other verbs), or PUBLIC. */
    permission?: string;
    /** What members of the body need besides. The route checks it. */
    alsoNeeds?: AlsoNeeds;
  }
  interface FastifyInstance {
    /** What each route of the API needs, in the order of paths. */
    listPermissions: () => RoutePermission[];
  }
}

/** `when`: the member of the body, for readers of the reference. */
export type AlsoNeeds = { resource: string; when: string };
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
    .flatMap(({ method, url: path, config }) => {
      const resource = config?.permission;
      if (resource === undefined || resource === PUBLIC || method === "HEAD") return [];
      return { method: String(method), path, resource, action: actionOf(String(method)), alsoNeeds: config?.alsoNeeds };
    })
    .toSorted((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));

const actionOf = (method: string): Action => (method === "GET" || method === "HEAD" ? "read" : "write");

export function authenticateRequests(app: FastifyInstance, authenticate: Authenticate, limit: AddressLimit): void {
  app.decorateRequest("caller");
  app.addHook("onRequest", async (request, reply) => {
    const found = await callerOf(request.headers.authorization, (token) =>
      authenticate(token, async () => !(await limit.isReached(request.ip))),
    );
    if (typeof found === "string") {
      await limit.count(request.ip);
      const { code, message } = found === "misplaced" ? MISPLACED : UNAUTHORIZED[found];
      throw refusal(401, code, { message });
    }
    const caller = found;
    request.caller = caller;
    request.log = reply.log = request.log.child({
      organization: caller.organizationId,
      [caller.actor.kind]: caller.actor.id,
    });
    if (!request.is404) demandPermission(caller, request.routeOptions.config.permission, actionOf(request.method));
  });
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

export const UNAUTHORIZED_CODES = Object.values(UNAUTHORIZED);

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
export function demandPermission({ permissions }: Caller, resource: string | undefined, action: Action): void {
  const isAllowed = resource !== undefined && (permissions === null || permissions[resource]?.includes(action));
  if (isAllowed) return;
  throw refusal(403, `${action}_action_not_allowed_for_${resource}`, {
    message: `The API key has no permission to ${action} ${resource}. Use another key, or make one with the permission ${resource}:${action}.`,
  });
}
