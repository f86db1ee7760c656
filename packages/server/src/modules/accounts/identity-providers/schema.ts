/** Identity providers: the API's requests and responses. A client secret is never shown. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { envelope, id, instant, mandatoryText, nullable, toApiInstant } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import type { ProviderRow } from "./store.ts";

const DOMAINS_MAX = 20;
/** Labels of letters, digits and hyphens, at least two of them. */
const DOMAIN = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$";

const name = () => mandatoryText(255, "Shown to owners and admins");
const clientSecret = () => mandatoryText(2000, "Stored sealed, and never shown");
const mailDomains = () =>
  Type.Array(Type.String({ maxLength: 253, pattern: DOMAIN }), {
    maxItems: DOMAINS_MAX,
    description: "Lower case. People with these mail addresses sign in here, once the operator has approved the domain",
  });
const enabled = () => Type.Boolean({ description: "Without it, nobody signs in here, and its sessions end" });
const autoJoinRole = () =>
  nullable(
    Type.String({
      maxLength: 255,
      description:
        "The code of the role that people get who sign in here for the first time; null lets in invited people only. Not `owner`",
    }),
  );

const providerSchema = namedObject("IdentityProvider", {
  svc_id: id(),
  name: Type.String(),
  issuer: Type.String({ description: "An OpenID Connect issuer, as a URL" }),
  client_id: Type.String(),
  mail_domains: mailDomains(),
  approved_mail_domains: Type.Array(Type.String(), {
    description: "Those of them that the operator has approved for this organization",
  }),
  enabled: enabled(),
  auto_join_role: autoJoinRole(),
  redirect_uri: Type.String({ description: "Where the provider redirects to: register it there" }),
  created_at: instant(),
  updated_at: instant(),
});
export type ApiProvider = Static<typeof providerSchema>;

const providerInput = namedObject("IdentityProviderInput", {
  name: name(),
  issuer: mandatoryText(
    1000,
    "An OpenID Connect issuer, as a URL. It cannot be changed: make another provider instead",
  ),
  client_id: mandatoryText(1000, "It cannot be changed: make another provider instead"),
  client_secret: clientSecret(),
  mail_domains: mailDomains(),
  enabled: Type.Optional(enabled()),
  auto_join_role: Type.Optional(autoJoinRole()),
});
export type ProviderRequest = Static<typeof providerInput>;
const providerUpdate = namedObject("IdentityProviderUpdate", {
  name: Type.Optional(name()),
  client_secret: Type.Optional(clientSecret()),
  mail_domains: Type.Optional(mailDomains()),
  enabled: Type.Optional(enabled()),
  auto_join_role: Type.Optional(autoJoinRole()),
});
export type ProviderUpdate = Static<typeof providerUpdate>;

const tags = ["Identity providers"];
const params = Type.Object({ svc_id: Type.String() });
const response = { 200: envelope("identity_provider", providerSchema), ...ERROR_RESPONSES };

export const createProviderSchema = {
  summary: "Create an identity provider",
  description:
    "People sign in through it by OpenID Connect. Register the `redirect_uri` of the answer there. Each mail domain works once the operator " +
    "of the installation has approved it.",
  tags,
  body: envelope("identity_provider", providerInput),
  response,
};
export const listProvidersSchema = {
  summary: "List identity providers",
  description: "Oldest first, all on one page.",
  tags,
  response: { 200: Type.Object({ identity_providers: Type.Array(providerSchema) }), ...ERROR_RESPONSES },
};
export const showProviderSchema = {
  summary: "Show an identity provider",
  description: "Without its client secret.",
  tags,
  params,
  response,
};
export const changeProviderSchema = {
  summary: "Change an identity provider",
  description:
    "Only the members present in the body change. A provider that is disabled ends its sessions within 5 seconds.",
  tags,
  params,
  body: envelope("identity_provider", providerUpdate),
  response,
};
export const deleteProviderSchema = {
  summary: "Delete an identity provider",
  description: "Its sessions end within 5 seconds. People stay members, and it forgets who they are there.",
  tags,
  params,
  response,
};

type Shown = { approved: ReadonlySet<string>; redirectUri: string };

export const toApiProvider = (row: ProviderRow, { approved, redirectUri }: Shown): ApiProvider => ({
  svc_id: row.id,
  name: row.name,
  issuer: row.issuer,
  client_id: row.client_id,
  mail_domains: row.mail_domains,
  approved_mail_domains: row.mail_domains.filter((domain) => approved.has(domain)),
  enabled: row.enabled,
  auto_join_role: row.auto_join_role ?? row.auto_join_role_code,
  redirect_uri: redirectUri,
  created_at: toApiInstant(row.created_at),
  updated_at: toApiInstant(row.updated_at),
});
