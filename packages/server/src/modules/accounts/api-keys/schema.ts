/** API key: the API's requests and responses. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { parseInstant } from "@tallystick/core/time";
import type { Permissions } from "../../../http/auth.ts";
import {
  envelope,
  formatted,
  instant,
  mandatoryText,
  nullable,
  oneOf,
  toApiInstant,
  toApiInstantOrNull,
} from "../../../http/fields.ts";
import { declareList } from "../../../http/list-query.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope } from "../../../http/pagination.ts";
import { EVERY_RESOURCE, spelledOut } from "../../../http/permission-sets.ts";
import { invalid } from "../../../http/problem.ts";
import { apiKeyErrors } from "./errors.ts";
import type { KeyRequest, MadeKey } from "./make-key.ts";
import { ACTIONS, PERMISSION_RESOURCES, PRESETS } from "./permissions.ts";
import type { KeyRow } from "./store.ts";

const DAY_SECONDS = 24 * 60 * 60;
const OVERLAP_SECONDS_MAX = 7 * DAY_SECONDS;

const actions = () => Type.Optional(Type.Array(oneOf(ACTIONS), { maxItems: ACTIONS.length }));
const permissionsSchema = namedObject(
  "Permissions",
  Object.fromEntries([EVERY_RESOURCE, ...PERMISSION_RESOURCES].map((resource) => [resource, actions()])),
  {
    description:
      "What the key may do, by resource. `*` stands for all ordinary resources, and never for `api_key`, `member`, `role` or `identity_provider`.",
  },
);

const apiKeyCreate = namedObject("ApiKeyCreate", {
  name: mandatoryText(255, "A name for people"),
  preset: Type.Optional(
    oneOf(Object.keys(PRESETS), {
      description: `In place of \`permissions\`: ${Object.keys(PRESETS)
        .map((name) => `\`${name}\``)
        .join(", ")}`,
    }),
  ),
  permissions: Type.Optional(permissionsSchema),
  expires_at: Type.Optional(
    nullable(formatted("datetime", { description: "In the future; null: never", examples: ["2099-12-31T23:59:59Z"] })),
  ),
});
type ApiKeyCreate = Static<typeof apiKeyCreate>;

const shown = {
  key_id: Type.String({ description: "The 8 characters of the token after `tsk_`. They are not secret." }),
  name: Type.String(),
  permissions: permissionsSchema,
  created_at: instant(),
  expires_at: nullable(instant("When it stops working; null: never")),
  revoked_at: nullable(instant("When it was revoked")),
  last_used_at: nullable(instant("To the minute")),
};
const apiKeySchema = namedObject("ApiKey", shown);
const apiKeyWithTokenSchema = namedObject("ApiKeyWithToken", {
  ...shown,
  token: Type.String({ description: "The whole key. It is not shown again." }),
});

const tags = ["API keys"];
const params = Type.Object({ key_id: Type.String() });
const response = { 200: envelope("api_key", apiKeySchema), ...ERROR_RESPONSES };
const responseWithToken = { 200: envelope("api_key", apiKeyWithTokenSchema), ...ERROR_RESPONSES };

export const apiKeyList = declareList({ sorts: ["-created_at", "name"], search: "name" });
export const listApiKeysSchema = {
  summary: "List API keys",
  description: "Newest first, revoked ones included. Without tokens.",
  tags,
  querystring: apiKeyList.querystring,
  response: { 200: listEnvelope("api_keys", apiKeySchema), ...ERROR_RESPONSES },
};
export const showApiKeySchema = {
  summary: "Show an API key",
  description: "Without its token.",
  tags,
  params,
  response,
};
export const createApiKeySchema = {
  summary: "Create an API key",
  description:
    "Send `preset` or `permissions`. A caller hands out at most its own permissions, and a key that expires hands out no longer life than its own. Keep the `token` of the response: it is not shown again.",
  tags,
  body: envelope("api_key", apiKeyCreate),
  response: responseWithToken,
};
/** Without an envelope, because nothing is mandatory. */
const rotation = Type.Object({
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: OVERLAP_SECONDS_MAX,
      description: `How long the old key works beside the new one; by default ${DAY_SECONDS}`,
    }),
  ),
});
export const rotateApiKeySchema = {
  summary: "Replace an API key",
  description:
    "The new key has the name, permissions and expiry of the old one, which works until the overlap ends. A key is replaced once. The same limits apply as for a new key. Keep the `token` of the response: it is not shown again.",
  tags,
  params,
  body: rotation,
  response: responseWithToken,
};
export const revokeApiKeySchema = {
  summary: "Revoke an API key",
  description: "It stops working within 5 seconds, also if it is the key of this request or the last one.",
  tags,
  params,
  response,
};

export function fromApiKey(requested: ApiKeyCreate, now: Temporal.Instant): KeyRequest {
  const expiresAt = requested.expires_at ? (parseInstant(requested.expires_at) ?? null) : null;
  if (expiresAt && Temporal.Instant.compare(expiresAt, now) <= 0) throw invalid({ expires_at: ["invalid_date"] });
  return { name: requested.name, permissions: readPermissions(requested), expiresAt };
}

function readPermissions({ preset, permissions }: ApiKeyCreate): Permissions {
  if (preset !== undefined && permissions !== undefined) throw apiKeyErrors.invalid("preset", "preset_and_permissions");
  if (preset !== undefined) return PRESETS[preset]?.permissions ?? null;
  const given = Object.entries(permissions ?? {}).flatMap(([resource, list = []]) =>
    list.length > 0 ? [[resource, [...new Set(list)]] as const] : [],
  );
  if (given.length === 0) throw invalid({ permissions: ["value_is_mandatory"] });
  return Object.fromEntries(given);
}

export const readOverlap = ({ overlap_seconds: seconds = DAY_SECONDS }: Static<typeof rotation>): Temporal.Duration =>
  Temporal.Duration.from({ seconds });

export const toApiKey = (row: KeyRow): Static<typeof apiKeySchema> => ({
  key_id: row.key_id,
  name: row.name,
  permissions: toApiPermissions(row.permissions as Permissions),
  created_at: toApiInstant(row.created_at),
  expires_at: toApiInstantOrNull(row.expires_at),
  revoked_at: toApiInstantOrNull(row.revoked_at),
  last_used_at: toApiInstantOrNull(row.last_used_at),
});

const toApiPermissions = (permissions: Permissions): Static<typeof permissionsSchema> =>
  Object.fromEntries(Object.entries(spelledOut(permissions)).map(([resource, list]) => [resource, [...list]]));

export const toApiWithToken = ({ row, token }: MadeKey): Static<typeof apiKeyWithTokenSchema> => ({
  ...toApiKey(row),
  token,
});
