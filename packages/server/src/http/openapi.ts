/** The API description, generated from the route schemas, and a page that shows it. */
import swagger from "@fastify/swagger";
import { Type } from "@fastify/type-provider-typebox";
import reference from "@scalar/fastify-api-reference";
import type { FastifyInstance } from "fastify";
import { PUBLIC } from "./auth.ts";

const errorBody = (description: string, extra = {}) =>
  Type.Object({ status: Type.Integer(), error: Type.String(), ...extra }, { description });

const withCode = { code: Type.String() };

/** The responses that every route under /api/v1 can have besides its own 200. */
export const ERROR_RESPONSES = {
  400: errorBody("The body is not JSON, or lacks the member that wraps the payload."),
  401: errorBody("The API key is missing, unknown, expired or revoked."),
  403: errorBody("The API key lacks the permission, or the organization lacks the feature.", withCode),
  404: errorBody("The record does not exist in this organization.", withCode),
  405: errorBody("The state of the record does not allow this.", withCode),
  413: errorBody("The body is larger than 1 MB."),
  414: errorBody("The URL is longer than 8 kB."),
  415: errorBody("The body is not `application/json`."),
  422: errorBody("A field is invalid. `error_details` names the field and the reason.", {
    ...withCode,
    error_details: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
  }),
  429: errorBody("Too many requests. Retry after `Retry-After` seconds.", withCode),
  503: errorBody("The service is busy. Retry the same request after `Retry-After` seconds."),
};

export type Described = {
  version: string;
  /** The webhook messages of the service by name, as OpenAPI describes them. */
  webhooks: Record<string, object>;
};

export async function describeApi(app: FastifyInstance, { version, webhooks }: Described): Promise<void> {
  await app.register(swagger, {
    openapi: {
      webhooks,
      openapi: "3.1.0",
      info: {
        title: "Tallystick",
        version,
        description: "Usage-based billing where every cent can be traced to the events behind it.",
        license: { name: "Apache-2.0" },
      },
      components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } },
      security: [{ key: [] }],
    },
    transform: ({ schema, url, route }) => ({
      schema: {
        ...schema,
        ...(schema?.body ? { body: withDescribedPayload(schema.body) } : {}),
        ...(schema?.querystring ? { querystring: withDocumentedTypes(schema.querystring) } : {}),
        ...(route.config?.permission === PUBLIC ? { security: [] } : {}),
        ...(route.method === "POST" && route.config?.permission !== PUBLIC ? { headers: idempotencyHeader } : {}),
      },
      url,
    }),
  });
  app.get("/openapi.json", { schema: { hide: true }, config: { permission: PUBLIC } }, async () => app.swagger());
  await app.register(async (docs) => {
    // The page has its own script, inline and from this server; it loads nothing from elsewhere.
    docs.addHook("onSend", async (_request, reply) => {
      reply.header(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
          "font-src 'self' data:; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
    });
    docs.addHook("onRoute", (route) => {
      route.config = { ...route.config, permission: PUBLIC };
    });
    await docs.register(reference, {
      routePrefix: "/docs",
      // Without the buttons that link to services of the page's vendor.
      configuration: {
        url: "/openapi.json",
        title: "Tallystick API",
        withDefaultFonts: false,
        telemetry: false,
        showDeveloperTools: "never",
        hideClientButton: true,
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    });
  });
}

const idempotencyHeader = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      maxLength: 255,
      description: "Kept for 24 hours. A request with the same key and body gets the first response again.",
    }),
  ),
});

/** A payload that core validates, or a member of one, is documented by the schema that it refers to. */
function withDescribedPayload(schema: unknown): unknown {
  const { type, properties, items, "x-described": described } = schema as Partial<Record<string, object>>;
  // A nullable member has a list of types, so its description has one too.
  if (described) return Array.isArray(type) ? { ...described, type } : described;
  if (items) return { ...(schema as object), items: withDescribedPayload(items) };
  if (!properties) return schema;
  const documented = Object.entries(properties).map(([name, member]) => [name, withDescribedPayload(member)]);
  return { ...(schema as object), properties: Object.fromEntries(documented) };
}

/** A query parameter is validated leniently but documented by its type. */
function withDocumentedTypes(querystring: unknown): unknown {
  const { properties = {} } = querystring as { properties?: Record<string, Record<string, unknown>> };
  const documented = Object.entries(properties).map(([name, { "x-type": type, ...rest }]) => [
    name,
    type ? { type, ...rest } : rest,
  ]);
  return { ...(querystring as object), properties: Object.fromEntries(documented) };
}
