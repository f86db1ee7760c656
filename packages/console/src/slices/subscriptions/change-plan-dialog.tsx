/** Another plan for a subscription, with what it bills. */
import type { SubscriptionWithPlan } from "@tallystick/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Problem } from "../../api/problem.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { type Change, ChangePreview, changePreviewQuery } from "./change-preview.tsx";
import { PlanField } from "./plan-field.tsx";
import { useSubscriptionChange } from "./use-subscription-change.ts";

type Props = { organization: string; subscription: SubscriptionWithPlan; onClose: () => void };

export function ChangePlanDialog({ organization, subscription, onClose }: Props) {
  const [plan, setPlan] = useState("");
  const { external_id, external_customer_id, name } = subscription;
  const request = { external_id, external_customer_id, plan_code: plan, ...(name ? { name } : {}) };
  const change: Change = { change: "plan", subscription: request };
  const { data } = useQuery({ ...changePreviewQuery(organization, change), enabled: plan !== "" });
  const save = useSubscriptionChange(organization, {
    change: (api) => api.subscriptions.create(request),
    onDone: onClose,
  });
  return (
    <Dialog
      title="Change the plan"
      effect={plan ? `Change to ${plan}` : "Change"}
      size={520}
      isPending={save.isPending}
      isDisabled={!data}
      onClose={onClose}
      onConfirm={() => save.mutate()}
    >
      <PlanField organization={organization} value={plan} without={subscription.plan_code} onChoose={setPlan} />
      {plan !== "" && <ChangePreview organization={organization} change={change} />}
      <Problem error={save.error} />
    </Dialog>
  );
}
