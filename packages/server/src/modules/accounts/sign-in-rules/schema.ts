/** Sign-in rules: the API's requests and responses. */
import { Type } from "@fastify/type-provider-typebox";
import { envelope } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";

const members = {
  session_idle_minutes: Type.Integer({
    minimum: 5,
    maximum: 10_080,
    description: "After so many minutes without a request, a session reaches this organization no more; default 30",
  }),
  session_max_hours: Type.Integer({
    minimum: 1,
    maximum: 720,
    description: "So many hours after the sign-in, a session reaches this organization no more; default 12",
  }),
  requires_second_factor: Type.Boolean({
    description: "Only people who signed in with a second factor reach the organization",
  }),
  requires_sso: Type.Boolean({
    description: "Only people who signed in through an identity provider of the organization reach it",
  }),
};

const rulesSchema = namedObject("SignInRules", members);
const rulesUpdate = Type.Partial(Type.Object(members), { title: "SignInRulesUpdate" });

const tags = ["Sign-in rules"];
const response = { 200: envelope("sign_in_rules", rulesSchema), ...ERROR_RESPONSES };

export const showRulesSchema = {
  summary: "Show the sign-in rules",
  description: "What the organization demands of people who sign in. Keys are not affected.",
  tags,
  response,
};
export const changeRulesSchema = {
  summary: "Change the sign-in rules",
  description:
    "Only the members present in the body change. They apply to every session within 5 seconds. Only an owner changes them, and only to " +
    "demands that the owner's own session meets.",
  tags,
  body: envelope("sign_in_rules", rulesUpdate),
  response,
};
