/** GET, PUT and DELETE /members. People become members by an invitation. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { Clock } from "../../../platform/clock.ts";
import { chooseRole } from "../roles/index.ts";
import { changeRole, removeMember } from "./change-members.ts";
import { memberErrors } from "./errors.ts";
import { changeMemberSchema, listMembersSchema, removeMemberSchema, showMemberSchema, toApiMember } from "./schema.ts";
import { findMember, listMembers } from "./store.ts";

export const memberRoutes =
  (clock: Clock): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "member" };
    const proven = { ...config, needsProof: true };

    app.get("/members", { schema: listMembersSchema, config }, (request) =>
      request.read(async (tx, organizationId) => ({
        members: (await listMembers(tx, organizationId)).map(toApiMember),
      })),
    );

    app.get("/members/:svc_id", { schema: showMemberSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const row = await findMember(tx, organizationId, request.params.svc_id);
        if (!row) throw memberErrors.problem("member_not_found");
        return { member: toApiMember(row) };
      }),
    );

    app.put("/members/:svc_id", { schema: changeMemberSchema, config: proven }, (request) =>
      request.write(async (tx, organizationId) => {
        const role = await chooseRole(tx, organizationId, request.body.member.role);
        const change = { caller: request.caller, userId: request.params.svc_id, now: clock.now(), role };
        return { member: toApiMember(await changeRole(tx, organizationId, change)) };
      }),
    );

    app.delete("/members/:svc_id", { schema: removeMemberSchema, config: proven }, (request) =>
      request.write(async (tx, organizationId) => {
        const change = { caller: request.caller, userId: request.params.svc_id };
        return { member: toApiMember(await removeMember(tx, organizationId, change)) };
      }),
    );
  };
