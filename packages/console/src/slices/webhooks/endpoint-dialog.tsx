/** A new endpoint, or a change of one. */
import { NativeSelect, TextInput } from "@mantine/core";
import type { WebhookEndpoint, WebhookType } from "@tallystick/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { apiOf } from "../../api/client.ts";
import { Problem } from "../../api/problem.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import classes from "./endpoint-dialog.module.css";
import { MESSAGES, TYPES } from "./messages.ts";

type Props = {
  organization: string;
  endpoint?: WebhookEndpoint | undefined;
  onSecret: (made: WebhookEndpoint) => void;
  onClose: () => void;
};

const SIGNATURES = [
  { value: "hmac", label: "HMAC, with the secret" },
  { value: "jwt", label: "JWT, with the public key of the service" },
];

export function EndpointDialog({ organization, endpoint, onSecret, onClose }: Props) {
  const [url, setUrl] = useState(endpoint?.webhook_url ?? "");
  const [name, setName] = useState(endpoint?.name ?? "");
  const [chosen, setChosen] = useState(endpoint?.event_types ?? undefined);
  const [signature, setSignature] = useState(endpoint?.signature_algo ?? "hmac");
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: () => {
      const body = {
        webhook_url: url.trim(),
        name: name.trim() || null,
        event_types: chosen ? (chosen as WebhookType[]) : null,
        signature_algo: signature as "hmac" | "jwt",
      };
      const { webhookEndpoints } = apiOf(organization);
      return endpoint ? webhookEndpoints.update(endpoint.svc_id, body) : webhookEndpoints.create(body);
    },
    onSuccess: async (saved) => {
      if (endpoint) onClose();
      else onSecret(saved);
      await queryClient.invalidateQueries({ queryKey: ["webhooks", organization] });
    },
  });
  return (
    <Dialog
      title={endpoint ? "Change the endpoint" : "New endpoint"}
      effect={!endpoint ? "Create the endpoint" : endpoint.disabled_at ? "Save, and enable it again" : "Save"}
      size={620}
      isPending={save.isPending}
      isDisabled={url.trim() === "" || chosen?.length === 0}
      onClose={onClose}
      onConfirm={() => save.mutate()}
    >
      <TextInput
        label="Address"
        description="Messages are sent there with POST. A public https address."
        placeholder="https://example.com/webhooks"
        required
        withAsterisk={false}
        data-autofocus
        value={url}
        onChange={({ currentTarget }) => setUrl(currentTarget.value)}
      />
      <TextInput
        label="Name"
        description="For people; may be empty."
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <NativeSelect
        size="xs"
        label="Messages"
        data={[
          { value: "all", label: "All, also those that a later version adds" },
          { value: "some", label: "Only those that I choose" },
        ]}
        value={chosen ? "some" : "all"}
        onChange={({ currentTarget }) => setChosen(currentTarget.value === "all" ? undefined : [])}
      />
      {chosen && <TypeChoice chosen={chosen} onChange={setChosen} />}
      <NativeSelect
        size="xs"
        label="Signature in X-Svc-Signature"
        description="The header webhook-signature of Standard Webhooks is sent as well, always with the secret."
        data={SIGNATURES}
        value={signature}
        onChange={({ currentTarget }) => setSignature(currentTarget.value)}
      />
      <Problem error={save.error} />
    </Dialog>
  );
}

function TypeChoice({ chosen, onChange }: { chosen: readonly string[]; onChange: (next: string[]) => void }) {
  return (
    <fieldset className={classes.types}>
      <legend>Messages that it receives</legend>
      {TYPES.map((type) => (
        <label key={type} className={classes.type}>
          <input
            type="checkbox"
            checked={chosen.includes(type)}
            onChange={({ currentTarget }) => {
              const others = chosen.filter((one) => one !== type);
              onChange(currentTarget.checked ? [...others, type] : others);
            }}
          />
          <span>
            <code>{type}</code>
            <span className={classes.meaning}>{MESSAGES[type]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
