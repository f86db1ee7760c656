/** A change of a subscription. It can make invoices, credit notes and spend credits, so that everything is read again. */
import type { SubscriptionWithPlan } from "@tallystick/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { apiOf } from "../../api/client.ts";
import { subscriptionQuery } from "./queries.ts";

type Api = ReturnType<typeof apiOf>;

export function useSubscriptionChange(
  organization: string,
  {
    change,
    onDone,
  }: { change: (api: Api) => Promise<SubscriptionWithPlan>; onDone: (made: SubscriptionWithPlan) => void },
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => change(apiOf(organization)),
    onSuccess: async (made) => {
      const { external_id: externalId, status } = made;
      queryClient.setQueryData(subscriptionQuery(organization, externalId).queryKey, made);
      onDone(made);
      // What has ended has no usage and no next invoice to ask for, and no change to preview.
      const isGone = (kind: unknown, part: unknown) =>
        kind === "subscriptions" && (part === "preview" || (part === externalId && status !== "active"));
      await queryClient.invalidateQueries({
        predicate: ({ queryKey: [kind, , part] }) => kind !== "session" && !isGone(kind, part),
      });
    },
  });
}
