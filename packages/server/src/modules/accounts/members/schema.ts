/** Member: the API's requests and responses. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { envelope, id, instant, mandatoryText, toApiInstant } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import type { MemberRow } from "./store.ts";

export const roleMember = () =>
  mandatoryText(
    255,
    "The code of a role: `owner`, `admin`, `finance`, `developer`, `support`, or one of the organization",
  );

const memberSchema = namedObject("Member", {
  svc_id: id("The id of the person"),
  email: Type.String(),
  name: Type.String(),
  role: Type.String({ description: "The code of the role" }),
  created_at: instant("When the person became a member"),
});
type ApiMember = Static<typeof memberSchema>;

const tags = ["Members"];
const params = Type.Object({ svc_id: Type.String() });
const response = { 200: envelope("member", memberSchema), ...ERROR_RESPONSES };

export const listMembersSchema = {
  summary: "List members",
  description: "The people who may act for the organization, oldest first, all on one page.",
  tags,
  response: { 200: Type.Object({ members: Type.Array(memberSchema) }), ...ERROR_RESPONSES },
};
export const showMemberSchema = {
  summary: "Show a member",
  description: "Found by the id of the person.",
  tags,
  params,
  response,
};
export const changeMemberSchema = {
  summary: "Change the role of a member",
  description: "It applies within 5 seconds. The last owner stays one, and nobody hands out more than they have.",
  tags,
  params,
  body: envelope("member", namedObject("MemberUpdate", { role: roleMember() })),
  response,
};
export const removeMemberSchema = {
  summary: "Remove a member",
  description: "The person has no access from 5 seconds later on. The last owner cannot be removed.",
  tags,
  params,
  response,
};

export const toApiMember = (row: MemberRow): ApiMember => ({
  svc_id: row.user_id,
  email: row.email,
  name: row.name,
  role: row.built_in_role ?? row.role_code ?? "",
  created_at: toApiInstant(row.created_at),
});
