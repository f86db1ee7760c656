/** /invitations: an invited person becomes a member by the link. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { linkUrl, newToken } from "../links/index.ts";
import { demandWithin } from "../members/index.ts";
import { chooseRole, permissionsOf } from "../roles/index.ts";
import { invitationErrors } from "./errors.ts";
import { makeInvitation } from "./make-invitation.ts";
import {
  type ApiInvitation,
  createInvitationSchema,
  listInvitationsSchema,
  revokeInvitationSchema,
  showInvitationSchema,
  toApiInvitation,
} from "./schema.ts";
import { deleteInvitation, findInvitation, type InvitationRow, listInvitations } from "./store.ts";

/** Says whether the mail server has taken the email; "off" without one. */
export type MailPerson = (letter: { to: string; subject: string; text: string }) => Promise<"sent" | "failed" | "off">;

type Deps = { clock: Clock; publicUrl: string; mailPerson: MailPerson };

export const invitationRoutes =
  ({ clock, publicUrl, mailPerson }: Deps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "member" };
    const proven = { ...config, needsProof: true };

    app.get("/invitations", { schema: listInvitationsSchema, config }, (request) =>
      request.read(async (tx, organizationId) => ({
        invitations: (await listInvitations(tx, organizationId)).map(toApiInvitation),
      })),
    );

    app.get("/invitations/:svc_id", { schema: showInvitationSchema, config }, (request) =>
      request.read(async (tx, organizationId) => ({
        invitation: toApiInvitation(await demandInvitation(tx, organizationId, request.params.svc_id)),
      })),
    );

    app.post(
      "/invitations",
      { schema: createInvitationSchema, config: { ...proven, showsSecret: true } },
      (request) => {
        const token = newToken();
        const { actor } = request.caller;
        return request.write<{ invitation: ApiInvitation }>(
          async (tx, organizationId) => {
            const role = await chooseRole(tx, organizationId, request.body.invitation.role);
            demandWithin(role.permissions, request.caller);
            const { email } = request.body.invitation;
            const invitedBy = actor.kind === "person" ? actor.id : null;
            const id = await makeInvitation(tx, organizationId, { email, role, token, invitedBy, now: clock.now() });
            return { invitation: toApiInvitation(await demandInvitation(tx, organizationId, id)) };
          },
          async ({ invitation }) => {
            const link = linkUrl(publicUrl, "invitation", { token });
            const mail_status = await mailPerson({ to: invitation.email, ...INVITED(link) });
            return { invitation: { ...invitation, mail_status, link: mail_status === "sent" ? null : link } };
          },
        );
      },
    );

    app.delete("/invitations/:svc_id", { schema: revokeInvitationSchema, config: proven }, (request) =>
      request.write(async (tx, organizationId) => {
        const row = await demandInvitation(tx, organizationId, request.params.svc_id);
        demandWithin(row.built_in_role === null ? row.permissions : permissionsOf(row.built_in_role), request.caller);
        if (!(await deleteInvitation(tx, organizationId, row.id)))
          throw invitationErrors.problem("invitation_not_found");
        return { invitation: toApiInvitation(row) };
      }),
    );
  };

async function demandInvitation(tx: Tx, organizationId: string, id: string): Promise<InvitationRow> {
  const row = await findInvitation(tx, organizationId, id);
  if (!row) throw invitationErrors.problem("invitation_not_found");
  return row;
}

const INVITED = (link: string) => ({
  subject: "You are invited to Tallystick",
  text: `You are invited to a billing organization on Tallystick. Open this link to accept; it works for 7 days and once:\n\n${link}\n\nIf you do not expect this invitation, ignore it.\n`,
});
