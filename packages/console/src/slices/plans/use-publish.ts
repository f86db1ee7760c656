/** Publishes a draft on top of the plan that was read, so that nobody overwrites what they have not seen. */
import { ChangedMeanwhileError, type Fault, InvalidError, type Plan, type PlanCreate } from "@tallystick/client";
import type { Members } from "@tallystick/core/catalog";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { apiOf } from "../../api/client.ts";
import { type DraftPlan, membersOf } from "./draft.ts";
import { planQuery } from "./queries.ts";

type Options = {
  /** The plan that the draft is a change of. */
  base: Plan | undefined;
  onRefused: (refused: { faults: readonly Fault[]; body: Members }) => void;
  onDone: () => void;
};
type Sent = { draft: DraftPlan; appliesToDrafts: boolean };

export function usePublish(organization: string, { base, onRefused, onDone }: Options) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { plans } = apiOf(organization);
  const [theirs, setTheirs] = useState<Plan>();
  const publish = useMutation({
    mutationFn: async ({ draft, appliesToDrafts }: Sent) => {
      // Core has read it: the members are those of the API.
      const body = membersOf(draft) as PlanCreate & Members;
      if (!base) return await plans.create(body);
      const change = { ...body, ...(appliesToDrafts ? { apply_to_drafts: true } : {}) };
      return await plans.update(base.code, change, { ifMatch: base });
    },
    onSuccess: async (saved) => {
      onDone();
      queryClient.setQueryData(planQuery(organization, saved.code).queryKey, saved);
      await navigate({ to: "/o/$organization/plans/$plan", params: { organization, plan: saved.code } });
      await queryClient.invalidateQueries({ predicate: ({ queryKey: [kind] }) => kind !== "session" });
    },
    onError: async (error, { draft }) => {
      if (error instanceof InvalidError) onRefused({ faults: error.faults, body: membersOf(draft) });
      if (error instanceof ChangedMeanwhileError && base) setTheirs(await plans.get(base.code));
    },
  });
  return {
    send: (draft: DraftPlan, options: { appliesToDrafts: boolean }) => publish.mutate({ draft, ...options }),
    isPending: publish.isPending,
    error: theirs ? null : publish.error,
    /** What someone else has published meanwhile. */
    theirs,
    forget: () => {
      setTheirs(undefined);
      publish.reset();
    },
  };
}
