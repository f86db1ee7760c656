/** A step that was made: the page reads again what exists, and shows the next one. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { apiOf } from "../../../api/client.ts";
import type { Progress } from "../progress.ts";

export type StepProps = { organization: string; isSandbox: boolean; progress: Progress };

export function useStep(organization: string, make: (api: ReturnType<typeof apiOf>) => Promise<unknown>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => make(apiOf(organization)),
    // Everything of the organization may have changed, and a session has not.
    onSuccess: () => queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" }),
  });
}
