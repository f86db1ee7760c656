/** Sends one event by hand, for a try. */
import { Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { apiOf } from "../../api/client.ts";
import { Problem } from "../../api/problem.tsx";
import { Dialog } from "../../ui/dialog.tsx";

type Props = { organization: string; onClose: () => void };

export function SendDialog({ organization, onClose }: Props) {
  const [transactionId] = useState(() => crypto.randomUUID());
  const [code, setCode] = useState("");
  const [subscription, setSubscription] = useState("");
  const [text, setText] = useState("{}");
  const queryClient = useQueryClient();
  const properties = readObject(text);
  const send = useMutation({
    mutationFn: () =>
      apiOf(organization).events.send({
        transaction_id: transactionId,
        external_subscription_id: subscription.trim(),
        code: code.trim(),
        properties: properties ?? {},
      }),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries({ queryKey: ["events", organization] });
    },
  });
  return (
    <Dialog
      title="Send an event"
      effect="Send it"
      isPending={send.isPending}
      isDisabled={code.trim() === "" || subscription.trim() === "" || properties === undefined}
      onClose={onClose}
      onConfirm={() => send.mutate()}
    >
      <TextInput label="Code" value={code} onChange={({ currentTarget }) => setCode(currentTarget.value)} />
      <TextInput
        label="Id of the subscription"
        value={subscription}
        onChange={({ currentTarget }) => setSubscription(currentTarget.value)}
      />
      <Textarea
        label="Properties"
        description="A JSON object. It is billed like any other event."
        autosize
        minRows={3}
        value={text}
        error={properties === undefined ? 'Write a JSON object, such as {"tokens": 250}.' : undefined}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Problem error={send.error} />
    </Dialog>
  );
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
