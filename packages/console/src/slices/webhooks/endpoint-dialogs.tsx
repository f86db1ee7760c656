/** An endpoint gets another secret, or ends. */
import type { WebhookEndpoint } from "@tallystick/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { apiOf } from "../../api/client.ts";
import { Problem } from "../../api/problem.tsx";
import { Dialog } from "../../ui/dialog.tsx";

type Props = { organization: string; endpoint: WebhookEndpoint; onClose: () => void };

export function RotateSecretDialog({
  organization,
  endpoint,
  onSecret,
  onClose,
}: Props & { onSecret: (made: WebhookEndpoint) => void }) {
  const queryClient = useQueryClient();
  const rotate = useMutation({
    mutationFn: () => apiOf(organization).webhookEndpoints.rotateSecret(endpoint.svc_id),
    onSuccess: async (made) => {
      onSecret(made);
      await queryClient.invalidateQueries({ queryKey: ["webhooks", organization] });
    },
  });
  return (
    <Dialog
      title="Rotate the secret?"
      effect="Create another secret"
      isPending={rotate.isPending}
      onClose={onClose}
      onConfirm={() => rotate.mutate()}
    >
      <p>
        For 24 hours, the header webhook-signature has a signature with each of both secrets, so that your endpoint can
        change over without a gap.
      </p>
      {endpoint.signature_algo === "hmac" && <p>The header X-Svc-Signature uses the new secret at once.</p>}
      <Problem error={rotate.error} />
    </Dialog>
  );
}

export function DeleteEndpointDialog({ organization, endpoint, onClose }: Props) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => apiOf(organization).webhookEndpoints.delete(endpoint.svc_id),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries({ queryKey: ["webhooks", organization] });
    },
  });
  return (
    <Dialog
      title="Delete the endpoint?"
      effect="Delete it, and send it nothing more"
      isDanger
      isPending={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p>
        {endpoint.webhook_url} gets no more messages. Those that were not delivered yet are given up. The log of what
        was sent stays.
      </p>
      <Problem error={remove.error} />
    </Dialog>
  );
}
