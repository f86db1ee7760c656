/** Invitation: the API's requests and responses. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { envelope, id, instant, nullable, oneOf, toApiInstant } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { roleMember } from "../members/index.ts";
import type { InvitationRow } from "./store.ts";

const invitationSchema = namedObject("Invitation", {
  svc_id: id(),
  email: Type.String(),
  role: Type.String({ description: "The code of the role that the person gets" }),
  created_at: instant(),
  expires_at: instant("The link works until then"),
  mail_status: nullable(
    oneOf(["sent", "failed", "off"] as const, {
      description:
        "What became of the email: only the response that creates the invitation says it. `off`: no mail server is set",
    }),
  ),
  link: nullable(
    Type.String({
      description:
        "The link to pass on, if the email was not sent. Only the response that creates the invitation shows it",
    }),
  ),
});
export type ApiInvitation = Static<typeof invitationSchema>;

const tags = ["Invitations"];
const params = Type.Object({ svc_id: Type.String() });
const response = { 200: envelope("invitation", invitationSchema), ...ERROR_RESPONSES };

export const listInvitationsSchema = {
  summary: "List invitations",
  description: "Those that nobody has accepted yet, oldest first, all on one page.",
  tags,
  response: { 200: Type.Object({ invitations: Type.Array(invitationSchema) }), ...ERROR_RESPONSES },
};
export const showInvitationSchema = {
  summary: "Show an invitation",
  description: "Found by its id.",
  tags,
  params,
  response,
};
export const createInvitationSchema = {
  summary: "Invite a person",
  description:
    "Sends an email with a link that works for 7 days and once. Without a mail server, the response shows the link: pass it on yourself. " +
    "Nobody hands out more than they have.",
  tags,
  body: envelope(
    "invitation",
    namedObject("InvitationCreate", {
      email: Type.String({ maxLength: 254, description: "The mail address of the person" }),
      role: roleMember(),
    }),
  ),
  response,
};
export const revokeInvitationSchema = {
  summary: "Revoke an invitation",
  description: "Its link stops working at once.",
  tags,
  params,
  response,
};

export const toApiInvitation = (row: InvitationRow): ApiInvitation => ({
  svc_id: row.id,
  email: row.email,
  role: row.built_in_role ?? row.role_code ?? "",
  created_at: toApiInstant(row.created_at),
  expires_at: toApiInstant(row.expires_at),
  mail_status: null,
  link: null,
});
