/** Who joins, and who leaves. */
import { NativeSelect, TextInput } from "@mantine/core";
import type { Invitation, Member, Role } from "@tallystick/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { apiOf } from "../../api/client.ts";
import { useProof } from "../../api/proof.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import classes from "./team-page.module.css";

/** Of the roles that every organization has. */
const USUAL = "support";

type InviteProps = { organization: string; roles: readonly Role[]; onClose: () => void };

export function InviteDialog({ organization, roles, onClose }: InviteProps) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState(USUAL);
  const queryClient = useQueryClient();
  const proof = useProof();
  const invite = useMutation({
    mutationFn: () => proof.prove(() => apiOf(organization).invitations.create({ email: email.trim(), role })),
    onSuccess: ({ link }) => {
      if (link === null) onClose();
      void queryClient.invalidateQueries({ queryKey: ["team", organization] });
    },
  });
  const link = invite.data?.link;
  if (link)
    return (
      <Dialog
        title={`Pass this link on to ${email}`}
        effect="Copy the link"
        isPending={false}
        onClose={onClose}
        onConfirm={() => void navigator.clipboard.writeText(link).then(onClose)}
      >
        <p>No mail was sent. It is shown only now, and works once, for seven days.</p>
        <code className={classes.link}>{link}</code>
      </Dialog>
    );
  return (
    <Dialog
      title="Invite a person"
      effect="Invite"
      isPending={invite.isPending}
      isDisabled={email.trim() === ""}
      onClose={onClose}
      onConfirm={() => invite.mutate()}
    >
      <TextInput
        type="email"
        label="Email"
        data-autofocus
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      <NativeSelect
        label="Role"
        data={roles.map(({ code, name }) => ({ value: code, label: name }))}
        value={role}
        onChange={({ currentTarget }) => setRole(currentTarget.value)}
      />
      <p>The link works once, for seven days.</p>
      {proof.ask(invite.error)}
    </Dialog>
  );
}

type RemoveProps = { organization: string; member: Member; onClose: () => void };

export function RemoveDialog({ organization, member, onClose }: RemoveProps) {
  const queryClient = useQueryClient();
  const proof = useProof();
  const remove = useMutation({
    mutationFn: () => proof.prove(() => apiOf(organization).members.delete(member.svc_id)),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries({ queryKey: ["team", organization] });
    },
  });
  return (
    <Dialog
      title={`Remove ${member.name}?`}
      effect={`Remove ${member.name}`}
      isDanger
      isPending={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p>
        {member.email} has no access to this organization from then on. What was done stays in the activity under the
        name.
      </p>
      {proof.ask(remove.error)}
    </Dialog>
  );
}

type RoleProps = RemoveProps & { roles: readonly Role[] };

export function RoleDialog({ organization, member, roles, onClose }: RoleProps) {
  const [role, setRole] = useState(member.role);
  const queryClient = useQueryClient();
  const proof = useProof();
  const change = useMutation({
    mutationFn: () => proof.prove(() => apiOf(organization).members.update(member.svc_id, { role })),
    onSuccess: async () => {
      onClose();
      // It can be one's own.
      await queryClient.invalidateQueries();
    },
  });
  return (
    <Dialog
      title={`Role of ${member.name}`}
      effect="Change the role"
      isPending={change.isPending}
      isDisabled={role === member.role}
      onClose={onClose}
      onConfirm={() => change.mutate()}
    >
      <NativeSelect
        label="Role"
        data={roles.map(({ code, name }) => ({ value: code, label: name }))}
        value={role}
        onChange={({ currentTarget }) => setRole(currentTarget.value)}
      />
      <p>It applies within five seconds.</p>
      {proof.ask(change.error)}
    </Dialog>
  );
}

type RevokeProps = { organization: string; invitation: Invitation; onClose: () => void };

export function RevokeDialog({ organization, invitation, onClose }: RevokeProps) {
  const queryClient = useQueryClient();
  const proof = useProof();
  const revoke = useMutation({
    mutationFn: () => proof.prove(() => apiOf(organization).invitations.delete(invitation.svc_id)),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries({ queryKey: ["team", organization] });
    },
  });
  return (
    <Dialog
      title="Revoke the invitation?"
      effect="Revoke it"
      isDanger
      isPending={revoke.isPending}
      onClose={onClose}
      onConfirm={() => revoke.mutate()}
    >
      <p>The link that {invitation.email} has stops working at once.</p>
      {proof.ask(revoke.error)}
    </Dialog>
  );
}
