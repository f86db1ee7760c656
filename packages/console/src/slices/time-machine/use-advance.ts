/** Moves a clock. The address then says since when, so that what came of it is still shown after a reload. */
import { InvalidError } from "@tallystick/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { apiOf } from "../../api/client.ts";

type Move = { from: string; to: string; isConfirmed?: boolean };

export type Advance = ReturnType<typeof useAdvance>;

/** `since`: what the address says now. */
export function useAdvance(organization: string, clock: string, since: string | undefined) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const say = (from: string | undefined) =>
    navigate({
      to: "/o/$organization/time-machine/$clock",
      params: { organization, clock },
      search: { since: from },
      replace: true,
    });
  return useMutation({
    mutationFn: ({ to, isConfirmed = false }: Move) =>
      apiOf(organization).testClocks.advance(clock, { now: to, ...(isConfirmed ? { confirm: true } : {}) }),
    onMutate: async ({ from }) => {
      await say(from);
      return { before: since };
    },
    onError: async (error, _move, context) => {
      // It did not move, so that what the last move brought is still of interest.
      if (error instanceof InvalidError) await say(context?.before);
    },
    // Also after a refusal: the clock may have been moved by someone else.
    onSettled: () => queryClient.invalidateQueries({ predicate: ({ queryKey: [kind] }) => kind !== "session" }),
  });
}
