/** A key gets a successor, or ends. */
import { NativeSelect } from "@mantine/core";
import type { ApiKey, ApiKeyWithToken } from "@tallystick/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { apiOf } from "../../api/client.ts";
import { Problem } from "../../api/problem.tsx";
import { useProof } from "../../api/proof.tsx";
import { showSecond } from "../../format/instants.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { rightsInWords } from "./rights.ts";

type Props = { organization: string; apiKey: ApiKey; onClose: () => void };

const OVERLAPS = [
  { value: "3600", label: "1 hour more" },
  { value: "86400", label: "1 day more" },
  { value: "604800", label: "7 days more" },
  { value: "0", label: "Not at all: end it now" },
];

export function RotateKeyDialog({
  organization,
  apiKey,
  onMade,
  onClose,
}: Props & { onMade: (made: ApiKeyWithToken) => void }) {
  const [overlap, setOverlap] = useState("86400");
  const queryClient = useQueryClient();
  const proof = useProof();
  const rotate = useMutation({
    mutationFn: () =>
      proof.prove(() => apiOf(organization).apiKeys.rotate(apiKey.key_id, { overlap_seconds: Number(overlap) })),
    onSuccess: async (made) => {
      onMade(made);
      await queryClient.invalidateQueries({ queryKey: ["api-keys", organization] });
    },
  });
  return (
    <Dialog
      title={`Rotate “${apiKey.name}”`}
      effect="Create its successor"
      isPending={rotate.isPending}
      onClose={onClose}
      onConfirm={() => rotate.mutate()}
    >
      <p>The new key has the same name, rights and expiry. Give it to the program before the old one ends.</p>
      <NativeSelect
        size="xs"
        label="The old key works"
        data={OVERLAPS}
        value={overlap}
        onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
      />
      {proof.ask(rotate.error)}
    </Dialog>
  );
}

export function RevokeKeyDialog({ organization, apiKey, onClose }: Props) {
  const queryClient = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => apiOf(organization).apiKeys.delete(apiKey.key_id),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries({ queryKey: ["api-keys", organization] });
    },
  });
  return (
    <Dialog
      title={`Revoke “${apiKey.name}”?`}
      effect="Revoke it for good"
      isDanger
      isPending={revoke.isPending}
      onClose={onClose}
      onConfirm={() => revoke.mutate()}
    >
      <p>
        Within 5 seconds, every program with this key is refused. {lastUseOf(apiKey)} This cannot be taken back; to
        replace it without a gap, rotate it.
      </p>
      <p>It may do: {rightsInWords(apiKey.permissions)}.</p>
      <Problem error={revoke.error} />
    </Dialog>
  );
}

const lastUseOf = ({ last_used_at }: ApiKey): string =>
  last_used_at ? `It was last used on ${showSecond(last_used_at)}.` : "It was never used.";
