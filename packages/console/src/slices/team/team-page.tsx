/** Who may act for the organization, and with which role. */
import type { Invitation, Member } from "@tallystick/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useRefusal } from "../../api/permissions.ts";
import { Problem } from "../../api/problem.tsx";
import { showInstantDay } from "../../format/instants.ts";
import { Action } from "../../ui/action.tsx";
import { PageTitle } from "../../ui/page-title.tsx";
import table from "../../ui/table.module.css";
import { invitationsQuery, membersQuery, rolesQuery } from "./queries.ts";
import { RoleMatrix } from "./role-matrix.tsx";
import classes from "./team-page.module.css";

const dialogs = () => import("./team-dialogs.tsx");
const InviteDialog = lazy(async () => ({ default: (await dialogs()).InviteDialog }));
const RoleDialog = lazy(async () => ({ default: (await dialogs()).RoleDialog }));
const RemoveDialog = lazy(async () => ({ default: (await dialogs()).RemoveDialog }));
const RevokeDialog = lazy(async () => ({ default: (await dialogs()).RevokeDialog }));

type Opened =
  | { kind: "invite" }
  | { kind: "role" | "remove"; member: Member }
  | { kind: "revoke"; invitation: Invitation };

export function TeamPage() {
  const { organization } = useParams({ from: "/o/$organization/team" });
  const { data: members, error } = useQuery(membersQuery(organization));
  const { data: invitations } = useQuery(invitationsQuery(organization));
  const { data: roles } = useQuery(rolesQuery(organization));
  const [dialog, setDialog] = useState<Opened>();
  const close = () => setDialog(undefined);
  const refusal = useRefusal(organization, "member");
  return (
    <>
      <PageTitle title="Team" under="A role applies to this organization alone.">
        <Action refusal={refusal} onClick={() => setDialog({ kind: "invite" })}>
          Invite a person
        </Action>
      </PageTitle>
      <Problem error={error} />
      {members && (
        <table className={`${table.table} ${classes.members}`}>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Email</th>
              <th scope="col">Role</th>
              <th scope="col">Since</th>
              <th scope="col">
                <span className={classes.hidden}>Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {members.map((member) => (
              <tr key={member.svc_id}>
                <td className={classes.name}>{member.name}</td>
                <td className={classes.email}>{member.email}</td>
                <td>{roles?.find(({ code }) => code === member.role)?.name ?? member.role}</td>
                <td className={classes.since}>{showInstantDay(member.created_at)}</td>
                <td className={table.amount}>
                  <Action
                    variant="subtle"
                    color="gray"
                    refusal={refusal}
                    onClick={() => setDialog({ kind: "role", member })}
                  >
                    Role
                  </Action>
                  <Action
                    variant="subtle"
                    color="gray"
                    refusal={refusal}
                    onClick={() => setDialog({ kind: "remove", member })}
                  >
                    Remove
                  </Action>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {invitations && invitations.length > 0 && (
        <section aria-label="Invitations" className={classes.section}>
          <h2>Invited</h2>
          <ul className={classes.invitations}>
            {invitations.map((invitation) => (
              <Invited
                key={invitation.svc_id}
                invitation={invitation}
                refusal={refusal}
                onRevoke={() => setDialog({ kind: "revoke", invitation })}
              />
            ))}
          </ul>
        </section>
      )}
      {roles && <RoleMatrix roles={roles} />}
      <Suspense fallback={null}>
        {dialog?.kind === "invite" && <InviteDialog organization={organization} roles={roles ?? []} onClose={close} />}
        {dialog?.kind === "role" && (
          <RoleDialog organization={organization} member={dialog.member} roles={roles ?? []} onClose={close} />
        )}
        {dialog?.kind === "remove" && (
          <RemoveDialog organization={organization} member={dialog.member} onClose={close} />
        )}
        {dialog?.kind === "revoke" && (
          <RevokeDialog organization={organization} invitation={dialog.invitation} onClose={close} />
        )}
      </Suspense>
    </>
  );
}

type InvitedProps = { invitation: Invitation; refusal: string | undefined; onRevoke: () => void };

const MAIL: Readonly<Record<NonNullable<Invitation["mail_status"]>, string>> = {
  sent: "The mail was sent.",
  failed: "The mail could not be sent. Invite again.",
  off: "No mail was sent.",
};

function Invited({ invitation: { email, role, expires_at, mail_status }, refusal, onRevoke }: InvitedProps) {
  return (
    <li>
      <div>
        <strong>{email}</strong>, {role}, until {showInstantDay(expires_at)}.{" "}
        {mail_status && <span className={table.weak}>{MAIL[mail_status]}</span>}
      </div>
      <Action variant="subtle" color="gray" refusal={refusal} onClick={onRevoke}>
        Revoke
      </Action>
    </li>
  );
}
