/** The end of a plan, with what it ends. */
import type { Plan } from "@tallystick/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { apiOf } from "../../api/client.ts";
import { Problem } from "../../api/problem.tsx";
import { Dialog } from "../../ui/dialog.tsx";

type Props = { organization: string; plan: Plan; onClose: () => void };

export function DeleteDialog({ organization, plan, onClose }: Props) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => apiOf(organization).plans.delete(plan.code),
    onSuccess: async () => {
      onClose();
      await navigate({ to: "/o/$organization/plans", params: { organization } });
      await queryClient.invalidateQueries({ predicate: ({ queryKey: [kind] }) => kind !== "session" });
    },
  });
  const { active_subscriptions_count: subscriptions, draft_invoices_count: drafts } = plan;
  return (
    <Dialog
      title={`Delete ${plan.name}?`}
      effect="Delete the plan"
      isDanger
      isPending={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      {subscriptions > 0 ? (
        <p>
          {subscriptions.toLocaleString()} active {subscriptions === 1 ? "subscription ends" : "subscriptions end"} now,
          and what was used is invoiced. {drafts > 0 && "Their drafts become final."}
        </p>
      ) : (
        <p>No active subscription has it. Its code can be used again.</p>
      )}
      <Problem error={remove.error} />
    </Dialog>
  );
}
