/** Who joins, and who leaves. */
import { NativeSelect, TextInput } from "@mantine/core";
import type { Member, Role } from "@tallystick/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { apiOf } from "../../api/client.ts";
import { Problem } from "../../api/problem.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import classes from "./team-page.module.css";

/** Of the roles that every organization has. */
const USUAL = "support";

type InviteProps = { organization: string; roles: readonly Role[]; onClose: () => void };

export function InviteDialog({ organization, roles, onClose }: InviteProps) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState(USUAL);
  const queryClient = useQueryClient();
  const invite = useMutation({
    mutationFn: () => apiOf(organization).invitations.create({ email: email.trim(), role }),
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
      <Problem error={invite.error} />
    </Dialog>
  );
}

type RemoveProps = { organization: string; member: Member; onClose: () => void };

export function RemoveDialog({ organization, member, onClose }: RemoveProps) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => apiOf(organization).members.delete(member.svc_id),
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
      <Problem error={remove.error} />
    </Dialog>
  );
}
