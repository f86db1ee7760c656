/** Puts a customer on a plan, with what that bills. */
import { TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Problem } from "../../api/problem.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { type Change, ChangePreview, changePreviewQuery } from "./change-preview.tsx";
import { PlanField } from "./plan-field.tsx";
import { useSubscriptionChange } from "./use-subscription-change.ts";

const PAUSE_MS = 300;

type Props = { organization: string; customer: string; onClose: () => void };

export function SubscribeDialog({ organization, customer, onClose }: Props) {
  const navigate = useNavigate();
  const [plan, setPlan] = useState("");
  const [externalId, setExternalId] = useState(`${customer}-1`);
  const [settledId] = useDebouncedValue(externalId.trim(), PAUSE_MS);
  const request = { external_customer_id: customer, external_id: settledId, plan_code: plan };
  const change: Change = { change: "create", subscription: request };
  const isComplete = plan !== "" && settledId !== "";
  const { data } = useQuery({ ...changePreviewQuery(organization, change), enabled: isComplete });
  const create = useSubscriptionChange(organization, {
    change: (api) => api.subscriptions.create(request),
    onDone: ({ external_id: subscription }) => {
      onClose();
      void navigate({ to: "/o/$organization/subscriptions/$subscription", params: { organization, subscription } });
    },
  });
  return (
    <Dialog
      title={`Subscribe ${customer}`}
      effect={plan ? `Subscribe to ${plan}` : "Subscribe"}
      size={520}
      isPending={create.isPending}
      isDisabled={!data || settledId !== externalId.trim()}
      onClose={onClose}
      onConfirm={() => create.mutate()}
    >
      <PlanField organization={organization} value={plan} onChoose={setPlan} />
      <TextInput
        label="Id of the subscription"
        description="Yours. Events name the subscription by it."
        value={externalId}
        onChange={({ currentTarget }) => setExternalId(currentTarget.value)}
      />
      {isComplete && <ChangePreview organization={organization} change={change} />}
      <Problem error={create.error} />
    </Dialog>
  );
}
