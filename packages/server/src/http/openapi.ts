/** The API description, generated from the route schemas. */
import { STATUS_CODES } from "node:http";
import swagger from "@fastify/swagger";
import { Type } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { type Authenticate, PUBLIC } from "./auth.ts";
import { contentOf } from "./body-schema.ts";
import { offerTakenPrefixes } from "./field-prefix.ts";
import { namedObject } from "./named-object.ts";
import { type Examples, withExamples } from "./openapi-examples.ts";
import { type Document, withComponents } from "./openapi-names.ts";
import { operationIdOf } from "./openapi-operation-ids.ts";
import { serveDescription, showDescription } from "./openapi-pages.ts";
import type { Translation } from "./translations.ts";

const fault = namedObject("Fault", {
  path: Type.String({ description: "Where it is in the request", examples: ["plan.charges[1].properties.amount"] }),
  code: Type.String({ description: "For programs", examples: ["value_is_mandatory"] }),
  message: Type.String({ description: "What is wrong, and what to do" }),
  allowed: Type.Optional(Type.Array(Type.Unknown(), { description: "The values that are allowed" })),
  limit: Type.Optional(
    Type.Partial(
      Type.Object({
        minimum: Type.Number(),
        maximum: Type.Number(),
        minLength: Type.Integer(),
        maxLength: Type.Integer(),
      }),
    ),
  ),
});

/** Of every refusal. */
export const ERROR_MEMBERS = {
  status: Type.Integer({ description: "The HTTP status" }),
  error: Type.String({ description: "The name of the status" }),
  code: Type.Optional(Type.String({ description: "For programs; listed in the error reference" })),
  message: Type.String({ description: "What is wrong, and what to do" }),
  error_details: Type.Optional(
    Type.Unsafe<object>({
      type: "object",
      description: "Name of a member → codes",
      additionalProperties: Type.Array(Type.String()),
    }),
  ),
  errors: Type.Optional(Type.Array(fault, { description: "Each fault of the request" })),
  request_id: Type.String({ description: "Also in the header `X-Request-Id`" }),
  docs_url: Type.Optional(Type.String({ description: "Where the code is explained" })),
};

/** The schema is the same for every status. Its title makes it one component, so what differs is beside it. */
export const refused = (status: number, description: string, example: { message: string; code?: string }) =>
  Type.Object(ERROR_MEMBERS, {
    title: "Error",
    "x-response-description": description,
    examples: [{ status, error: STATUS_CODES[status], ...example, request_id: "019a8a0e-6f7c-7c3e-9a3d-2f6a4b1c5d60" }],
  });

/**
 * The responses that every route under /api/v1 can have besides its own 200. What does not depend on the operation is described once,
 * as the default.
 */
export const ERROR_RESPONSES = {
  401: refused(401, "The API key is missing, unknown, expired or revoked.", {
    message: "The API key is missing. Send it in the header Authorization, after the word Bearer.",
  }),
  404: refused(404, "The record does not exist in this organization.", {
    code: "tax_not_found",
    message: "No record of this organization has this name.",
  }),
  405: refused(405, "The state of the record does not allow this.", {
    code: "not_voidable",
    message: "The state of the record does not allow this.",
  }),
  422: refused(422, "A member is invalid. `errors` and `error_details` name the member and the reason.", {
    code: "validation_errors",
    message: "The member name is mandatory.",
    ...{ error_details: { name: ["value_is_mandatory"] } },
    ...{ errors: [{ path: "tax.name", code: "value_is_mandatory", message: "Send a value." }] },
  }),
  429: refused(429, "Too many requests. Retry after `Retry-After` seconds.", {
    code: "rate_limited",
    message: "Too many requests in this second. Wait and send the request again.",
  }),
  default: refused(
    403,
    "Every other refusal: 400 where the body is not JSON or lacks the member that wraps the payload, 403 where the API key lacks the " +
      "permission, 405 where the state of the record does not allow this, 413 and 414 where the body or the URL is too long, 415 where the body is not `application/json`, and 503 where the " +
      "service is busy: send the same request again after `Retry-After` seconds.",
    {
      message: "The API key may not do this. Use a key with the permission.",
      code: "write_action_not_allowed_for_tax",
    },
  ),
};

/** What a description says that no route knows. */
export type ApiWords = {
  introduction: string;
  /** A sentence for each tag. */
  tags: Readonly<Record<string, string>>;
  /** By method and path below /api/v1, where the derived id does not fit. */
  operationIds: Readonly<Record<string, string>>;
  examples: Examples;
};

/** The response of a change that takes `If-Match`, besides. */
export const CHANGED_RESPONSE = {
  412: refused(412, "The record is not the one whose `ETag` is in `If-Match`: it was changed after you read it.", {
    code: "changed_meanwhile",
    message: "The record was changed after you read it. Read it again, and send the change with its new ETag.",
  }),
};

export type Described = {
  version: string;
  /** Null: the address that it was read from. */
  describedUrl: string | null;
  authenticate: Authenticate;
  deprecated: Pick<Translation, "names">;
  /** The webhook messages of the service by name, as OpenAPI describes them. */
  webhooks: Record<string, object>;
  words?: ApiWords;
};

const NO_WORDS: ApiWords = { introduction: "", tags: {}, operationIds: {}, examples: { requests: {}, responses: {} } };

export async function describeApi(app: FastifyInstance, options: Described): Promise<void> {
  const { words = NO_WORDS } = options;
  await app.register(swagger, {
    openapi: documentOf({ ...options, words }),
    transform: ({ schema, url, route }) => ({
      schema: {
        ...schema,
        operationId: idOf(String(route.method), url, words),
        ...(schema?.body ? { body: withDescribedBody(schema.body) } : {}),
        ...(schema?.response ? { response: withDescribedAnswers(schema.response) } : {}),
        ...(schema?.querystring ? { querystring: withDocumentedTypes(schema.querystring) } : {}),
        ...(route.config?.permission === PUBLIC ? { security: [] } : {}),
        ...(route.method === "POST" && route.config?.permission !== PUBLIC ? { headers: idempotencyHeader } : {}),
      },
      url,
    }),
    transformObject: (made) =>
      withExamples(
        withComponents((made as { openapiObject: unknown }).openapiObject as Document),
        words.examples,
      ) as never,
  });
  offerTakenPrefixes(app, () => [app.swagger(), options.deprecated.names]);
  serveDescription(app, options.authenticate);
  await showDescription(app);
}

const documentOf = ({ version, describedUrl, webhooks, words }: Required<Described>) => ({
  openapi: "3.1.0",
  info: {
    title: "Tallystick",
    version,
    description: words.introduction,
    contact: { name: "Tallystick", url: "https://github.com/tallystick/tallystick" },
    license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
  },
  servers: [
    describedUrl === null
      ? { url: "/", description: "The address that this description was read from" }
      : { url: describedUrl, description: "This service" },
  ],
  tags: Object.entries(words.tags).map(([name, description]) => ({ name, description })),
  components: {
    securitySchemes: { key: { type: "http" as const, scheme: "bearer", description: "An API key" } },
  },
  security: [{ key: [] }],
  webhooks,
});

const API = /^\/api\/v1/;

/** The name of an operation in the description, by the path of its route. */
export function idOf(method: string, url: string, { operationIds }: Pick<ApiWords, "operationIds">): string {
  const path = url.replace(API, "").replace(/:(\w+)/g, "{$1}");
  return operationIds[`${method} ${path}`] ?? operationIdOf(method.toLowerCase(), path);
}

const idempotencyHeader = Type.Object({
  "Idempotency-Key": Type.Optional(
    Type.String({
      maxLength: 255,
      description: "Kept for 24 hours. A request with the same key and body gets the first response again.",
    }),
  ),
});

/** A payload that core validates or made, or a member of one, is documented by the schema that it refers to. */
function withDescribedPayload(schema: unknown): unknown {
  const { type, properties, items, "x-described": described } = schema as Partial<Record<string, object>>;
  // A nullable member has a list of types, so its description has one too.
  if (described) return Array.isArray(type) ? { ...described, type } : described;
  if (items) return { ...(schema as object), items: withDescribedPayload(items) };
  if (!properties) return schema;
  const documented = Object.entries(properties).map(([name, member]) => [name, withDescribedPayload(member)]);
  return { ...(schema as object), properties: Object.fromEntries(documented) };
}

function withDescribedBody(body: unknown): unknown {
  const content = contentOf(body);
  if (!content) return withDescribedPayload(body);
  const described = Object.entries(content).map(([mediaType, { schema }]) => [
    mediaType,
    { schema: withDescribedPayload(schema) },
  ]);
  return { ...(body as object), content: Object.fromEntries(described) };
}

const withDescribedAnswers = (responses: object): object =>
  Object.fromEntries(Object.entries(responses).map(([status, schema]) => [status, withDescribedPayload(schema)]));

/** A query parameter is validated leniently but documented by its type. */
function withDocumentedTypes(querystring: unknown): unknown {
  const { properties = {} } = querystring as { properties?: Record<string, Record<string, unknown>> };
  const documented = Object.entries(properties)
    // `status[]` is another way to write `status`.
    .filter(([name]) => !name.endsWith("[]"))
    .map(([name, { "x-type": type, ...rest }]) => [name, type ? { type, ...rest } : rest]);
  return { ...(querystring as object), properties: Object.fromEntries(documented) };
}
