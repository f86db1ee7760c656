/** The end of a subscription, with what it bills and gives back. */
import { NativeSelect } from "@mantine/core";
import type { SubscriptionWithPlan } from "@tallystick/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Problem } from "../../api/problem.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { type Change, ChangePreview, changePreviewQuery } from "./change-preview.tsx";
import { useSubscriptionChange } from "./use-subscription-change.ts";

type Props = { organization: string; subscription: SubscriptionWithPlan; onClose: () => void };

const GIVE_BACK = [
  { value: "credit", label: "Credit unused days for later invoices" },
  { value: "refund", label: "Refund unused days that were paid" },
  { value: "skip", label: "Give nothing back" },
] as const;
const BILL = [
  { value: "generate", label: "Bill what was used until now" },
  { value: "skip", label: "Do not bill what was used since the last invoice" },
] as const;

export function EndDialog({ organization, subscription, onClose }: Props) {
  const { external_id, plan, status } = subscription;
  const [givesBack, setGivesBack] = useState(subscription.on_termination_credit_note ?? "credit");
  const [bills, setBills] = useState(subscription.on_termination_invoice);
  const isPending = status === "pending";
  const choices = {
    ...(plan.pay_in_advance ? { on_termination_credit_note: givesBack } : {}),
    on_termination_invoice: bills,
  };
  const change: Change = {
    change: "end",
    subscription: { external_id, ...(isPending ? {} : choices) },
    ...(isPending ? { status: "pending" } : {}),
  };
  const { data } = useQuery(changePreviewQuery(organization, change));
  const end = useSubscriptionChange(organization, {
    change: (api) => api.subscriptions.terminate(external_id, isPending ? { status } : choices),
    onDone: onClose,
  });
  return (
    <Dialog
      title={isPending ? "Cancel the subscription?" : "End the subscription now?"}
      effect={isPending ? "Cancel it" : "End it now"}
      size={520}
      isDanger
      isPending={end.isPending}
      isDisabled={!data}
      onClose={onClose}
      onConfirm={() => end.mutate()}
    >
      {!isPending && plan.pay_in_advance && (
        <NativeSelect
          label="Days that were paid in advance"
          data={[...GIVE_BACK]}
          value={givesBack}
          onChange={({ currentTarget }) => setGivesBack(currentTarget.value as typeof givesBack)}
        />
      )}
      {!isPending && (
        <NativeSelect
          label="Usage"
          data={[...BILL]}
          value={bills}
          onChange={({ currentTarget }) => setBills(currentTarget.value as typeof bills)}
        />
      )}
      <ChangePreview organization={organization} change={change} />
      <Problem error={end.error} />
    </Dialog>
  );
}
