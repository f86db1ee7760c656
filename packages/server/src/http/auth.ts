/** Who calls, and whether they may. Every route declares its permission; a route without one is refused. */
import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";
import { refusal } from "./problem.ts";

export type Action = "read" | "write";
/** What a key may do, by resource; null means everything. */
export type Permissions = Record<string, readonly Action[]> | null;
export type Caller = {
  organizationId: string;
  keyId: string;
  permissions: Permissions;
  /** Whether its organization also uses removed members. */
  usesDeprecated: boolean;
};

/** Finds the caller of a token; null if the token is malformed, unknown, expired or revoked. */
export type Authenticate = (token: string) => Promise<Caller | null>;

/** In place of a resource: anyone may call, and no organization is known. */
export const PUBLIC = "public";

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller;
  }
  interface FastifyContextConfig {
    /** The resource that the key must be allowed to read (GET) or write (other verbs), or PUBLIC. */
    permission?: string;
  }
}

/** Runs at start-up, so that a missing declaration is found before the first request. */
export function demandPermissionOnEveryRoute(app: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  app.addHook("onRoute", (route) => void routes.push(route));
  app.addHook("onReady", async () => {
    const open = routes
      .filter((route) => !route.config?.permission)
      .map((route) => `${String(route.method)} ${route.url}`);
    if (open.length > 0)
      throw new Error(`These routes declare no permission; add config: { permission: "…" }: ${open.join(", ")}`);
  });
}

export function authenticateRequests(app: FastifyInstance, authenticate: Authenticate): void {
  app.decorateRequest("caller");
  app.addHook("onRequest", async (request, reply) => {
    // The second word is the key, whatever the first one is.
    const token = request.headers.authorization?.split(" ")[1];
    const caller = token ? await authenticate(token) : null;
    if (!caller) throw refusal(401);
    request.caller = caller;
    request.log = reply.log = request.log.child({ organization: caller.organizationId, key: caller.keyId });
    if (!request.is404) demandPermission(request, caller);
  });
}

function demandPermission(request: FastifyRequest, caller: Caller): void {
  const resource = request.routeOptions.config.permission;
  const action: Action = request.method === "GET" || request.method === "HEAD" ? "read" : "write";
  const isAllowed =
    resource !== undefined && (caller.permissions === null || caller.permissions[resource]?.includes(action));
  if (!isAllowed) throw refusal(403, `${action}_action_not_allowed_for_${resource}`);
}
