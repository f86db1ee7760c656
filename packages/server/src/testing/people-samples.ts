/** Sample requests about the people of an organization. */
import { permissionsOf } from "../modules/accounts/index.ts";
import type { Call } from "./start-tallystick.ts";

const SAME_SITE = { "sec-fetch-site": "same-origin" };

let people = 0;
/** A mail address is a person, in every organization the same. */
const anInvitation = () => ({ invitation: { email: `person-${++people}@example.com`, role: "support" } });

const ofSupport = { handsOut: permissionsOf("support") ?? {} };
const ofOwnRole = { handsOut: { invoice: ["read"] } as const };

const givenInvitation = async (call: Call): Promise<Record<string, string>> => {
  const { body } = await call("POST", "/invitations", anInvitation());
  return { svc_id: body.invitation.svc_id, link: body.invitation.link };
};

/** A new person opens the link of an invitation. */
const givenMember = async (call: Call): Promise<Record<string, string>> => {
  const { link = "" } = await givenInvitation(call);
  const before = await listIds(call);
  const person = { token: link.split("#")[1], name: "Person", password: "a password of the samples" };
  const path = "/../../session/invitations/accept";
  await call("POST", path, person, { key: null, headers: SAME_SITE });
  const [svc_id = ""] = (await listIds(call)).filter((id) => !before.includes(id));
  return { svc_id };
};

const listIds = async (call: Call): Promise<string[]> =>
  (await call("GET", "/members")).body.members.map(({ svc_id }: { svc_id: string }) => svc_id);

const aRole = (mark: string) => ({
  role: { code: mark, name: "Bookkeeper", permissions: [{ resource: "invoice", actions: ["read"] }] },
});
const givenRole = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const { body } = await call("POST", "/roles", aRole(mark));
  return { code: body.role.code };
};

const aProvider = () => ({
  identity_provider: {
    ...{ name: "Company sign-in", issuer: "https://login.example.com", client_id: "tallystick" },
    ...{ client_secret: "of the provider", mail_domains: ["example.com"] },
  },
});
const givenProvider = async (call: Call): Promise<Record<string, string>> => {
  const { body } = await call("POST", "/identity_providers", aProvider());
  return { svc_id: body.identity_provider.svc_id };
};

export const PEOPLE_SAMPLES = {
  "GET /identity_providers": { permission: "identity_provider" },
  "GET /identity_providers/:svc_id": { permission: "identity_provider", given: givenProvider },
  "POST /identity_providers": {
    permission: "identity_provider",
    body: aProvider,
    ignored: ["client_secret"],
    references: ["auto_join_role"],
  },
  "PUT /identity_providers/:svc_id": {
    permission: "identity_provider",
    given: givenProvider,
    body: () => ({ identity_provider: { name: "Other name", auto_join_role: null } }),
    ignored: ["client_secret"],
    references: ["auto_join_role"],
  },
  "DELETE /identity_providers/:svc_id": { permission: "identity_provider", given: givenProvider },
  "GET /members": { permission: "member" },
  "GET /members/:svc_id": { permission: "member", given: givenMember },
  "PUT /members/:svc_id": {
    ...ofSupport,
    permission: "member",
    given: givenMember,
    body: () => ({ member: { role: "support" } }),
    references: ["role"],
  },
  "DELETE /members/:svc_id": { ...ofSupport, permission: "member", given: givenMember },
  "GET /invitations": { permission: "member" },
  "GET /invitations/:svc_id": { permission: "member", missing: "invitation_not_found", given: givenInvitation },
  "POST /invitations": { ...ofSupport, permission: "member", body: anInvitation, references: ["role"] },
  "DELETE /invitations/:svc_id": {
    ...ofSupport,
    permission: "member",
    missing: "invitation_not_found",
    given: givenInvitation,
  },
  "GET /roles": { permission: "role" },
  "GET /roles/:code": { permission: "role", given: givenRole },
  "POST /roles": { ...ofOwnRole, permission: "role", body: aRole },
  "PUT /roles/:code": {
    ...ofOwnRole,
    permission: "role",
    given: givenRole,
    body: () => ({ role: { name: "Reader" } }),
  },
  "DELETE /roles/:code": { ...ofOwnRole, permission: "role", given: givenRole },
  "GET /sign_in_rules": { permission: "identity_provider" },
  "PUT /sign_in_rules": {
    permission: "identity_provider",
    references: ["requires_second_factor", "requires_sso"],
    body: () => ({
      sign_in_rules: {
        ...{ session_idle_minutes: 60, session_max_hours: 24 },
        ...{ requires_second_factor: false, requires_sso: false },
      },
    }),
  },
};
