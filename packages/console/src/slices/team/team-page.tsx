/** Who may act for the organization, and with which role. */
import { NativeSelect } from "@mantine/core";
import type { Invitation, Member, Role } from "@tallystick/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { apiOf } from "../../api/client.ts";
import { useRefusal } from "../../api/permissions.ts";
import { Problem } from "../../api/problem.tsx";
import { showInstantDay } from "../../format/instants.ts";
import { Action } from "../../ui/action.tsx";
import { PageTitle } from "../../ui/page-title.tsx";
import table from "../../ui/table.module.css";
import { invitationsQuery, membersQuery, rolesQuery } from "./queries.ts";
import { RoleMatrix } from "./role-matrix.tsx";
import classes from "./team-page.module.css";

const InviteDialog = lazy(async () => ({ default: (await import("./team-dialogs.tsx")).InviteDialog }));
const RemoveDialog = lazy(async () => ({ default: (await import("./team-dialogs.tsx")).RemoveDialog }));

export function TeamPage() {
  const { organization } = useParams({ from: "/o/$organization/team" });
  const { data: members, error } = useQuery(membersQuery(organization));
  const { data: invitations } = useQuery(invitationsQuery(organization));
  const { data: roles } = useQuery(rolesQuery(organization));
  const [isInviting, setInviting] = useState(false);
  const [leaving, setLeaving] = useState<Member>();
  const refusal = useRefusal(organization, "member");
  return (
    <>
      <PageTitle title="Team" under="A role applies to this organization alone.">
        <Action refusal={refusal} onClick={() => setInviting(true)}>
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
                <td>
                  <RoleField member={member} roles={roles ?? []} organization={organization} refusal={refusal} />
                </td>
                <td className={classes.since}>{showInstantDay(member.created_at)}</td>
                <td className={table.amount}>
                  <Action variant="subtle" color="gray" refusal={refusal} onClick={() => setLeaving(member)}>
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
              <Invited key={invitation.svc_id} invitation={invitation} organization={organization} refusal={refusal} />
            ))}
          </ul>
        </section>
      )}
      {roles && <RoleMatrix roles={roles} />}
      <Suspense fallback={null}>
        {isInviting && (
          <InviteDialog organization={organization} roles={roles ?? []} onClose={() => setInviting(false)} />
        )}
        {leaving && <RemoveDialog organization={organization} member={leaving} onClose={() => setLeaving(undefined)} />}
      </Suspense>
    </>
  );
}

type RoleProps = { organization: string; member: Member; roles: readonly Role[]; refusal: string | undefined };

function RoleField({ organization, member, roles, refusal }: RoleProps) {
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: (role: string) => apiOf(organization).members.update(member.svc_id, { role }),
    // It can be one's own.
    onSuccess: () => queryClient.invalidateQueries(),
  });
  if (refusal) return <>{roles.find(({ code }) => code === member.role)?.name ?? member.role}</>;
  return (
    <>
      <NativeSelect
        aria-label={`Role of ${member.name}`}
        data={roles.map(({ code, name }) => ({ value: code, label: name }))}
        value={change.isPending ? change.variables : member.role}
        onChange={({ currentTarget }) => change.mutate(currentTarget.value)}
      />
      <Problem error={change.error} />
    </>
  );
}

type InvitedProps = { organization: string; invitation: Invitation; refusal: string | undefined };

const MAIL: Readonly<Record<NonNullable<Invitation["mail_status"]>, string>> = {
  sent: "The mail was sent.",
  failed: "The mail could not be sent. Invite again.",
  off: "No mail was sent.",
};

function Invited({ organization, invitation, refusal }: InvitedProps) {
  const { svc_id, email, role, expires_at, mail_status } = invitation;
  const queryClient = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => apiOf(organization).invitations.delete(svc_id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["team", organization] }),
  });
  return (
    <li>
      <div>
        <strong>{email}</strong>, {role}, until {showInstantDay(expires_at)}.{" "}
        {mail_status && <span className={table.weak}>{MAIL[mail_status]}</span>}
        <Problem error={revoke.error} />
      </div>
      <Action variant="subtle" color="gray" refusal={refusal} onClick={() => revoke.mutate()}>
        Revoke
      </Action>
    </li>
  );
}
