/**
 * Refuses members and query parameters that an operation does not know: a misspelled optional member would otherwise change a bill in
 * silence. Members that were removed long ago are ignored and named in a header.
 */
import type { FastifyInstance } from "fastify";
import { bodySchemaOf, isForeign } from "./body-schema.ts";
import { refuseMembers, type SchemaError } from "./errors.ts";
import { prefixOf, renamePath } from "./field-prefix.ts";
import { findUnknown, type Known, knownMembers, type Path, pathText, withMembersOf } from "./known-members.ts";
import { warn } from "./warnings.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Members of the body that the operation does not know, as errors of validation. */
    unknownMembers: readonly SchemaError[];
  }
  interface FastifyContextConfig {
    known?: { body: Known | null; query: readonly string[] };
  }
}

/** The members were removed on this day (RFC 9745: seconds since 1970). */
const REMOVED_AT = "@1720483200";
/** Names in a header are bounded: proxies refuse long headers. */
const NAMES_LENGTH_MAX = 1000;

/** `isRemoved`: a path of names, without indexes, that earlier versions knew. */
export function refuseUnknownMembers(app: FastifyInstance, isRemoved: (path: readonly string[]) => boolean): void {
  app.decorateRequest("unknownMembers");
  app.addHook("onRoute", (route) => {
    const { querystring, response } = (route.schema ?? {}) as Record<string, unknown>;
    const body = bodySchemaOf(route.schema?.body);
    const { 200: answer } = (response ?? {}) as Record<number, unknown>;
    const { properties = {} } = (querystring ?? {}) as { properties?: object };
    const known = {
      body: body ? withMembersOf(responseFor(knownMembers(body), knownMembers(answer)), knownMembers(body)) : null,
      query: Object.keys(properties),
    };
    route.config = { ...route.config, known };
  });

  app.addHook("preValidation", async (request, reply) => {
    const { known } = request.routeOptions.config;
    request.unknownMembers = [];
    if (!known) return;
    const found = known.body && !isForeign(request) ? findUnknown(request.body, known.body) : [];
    const removed = found.filter((path) => isRemoved(path.filter((step) => typeof step === "string")));
    if (removed.length > 0)
      reply.header("Deprecation", `${REMOVED_AT};members="${namesOf(removed, prefixOf(request))}"`);
    const parameters = Object.keys(request.query as object).filter((name) => !known.query.includes(name));
    const unknown = [...found.filter((path) => !removed.includes(path)), ...parameters.map((name) => [name])];
    if (unknown.length === 0) return;
    if (request.caller.ignoresUnknown) warn(reply, `unknown and ignored: ${namesOf(unknown, prefixOf(request))}`);
    else request.unknownMembers = unknown.map(toSchemaError);
  });

  // A route that answers faults of validation itself answers these with them.
  app.addHook("preHandler", async (request) => {
    const { unknownMembers, routeOptions } = request;
    if (unknownMembers.length > 0 && !routeOptions.attachValidation) throw refuseMembers(unknownMembers);
  });
}

/** A request can be answered by another object than it sends: a top-up by a list of transactions. Then that object's members are known. */
function responseFor(body: Known, response: Known): Known {
  const [name, ...others] = body.members?.keys() ?? [];
  if (name === undefined || others.length > 0 || !response.members || response.members.has(name)) return response;
  const [shown, ...more] = [...response.members].filter(([member]) => member !== "meta");
  if (!shown || more.length > 0) return response;
  return { members: new Map([[name, shown[1].items ?? shown[1]]]), items: null };
}

const toSchemaError = (path: Path): SchemaError => ({
  keyword: "unknown",
  instancePath: path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""),
  schemaPath: "",
  params: {},
});

/** Header fields are ASCII without quotes. */
const namesOf = (paths: readonly Path[], prefix: string): string =>
  paths
    .map((path) =>
      encodeURI(renamePath(pathText(path), prefix).toWellFormed())
        .replaceAll("%5B", "[")
        .replaceAll("%5D", "]"),
    )
    .join(", ")
    .slice(0, NAMES_LENGTH_MAX);
