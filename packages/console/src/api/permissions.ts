/** What the person may do in the organization of the page. */
import { useQuery } from "@tanstack/react-query";
import { mayWrite, sessionQuery } from "./session.ts";

/** Undefined if allowed, or why not: an action that is not allowed is shown, disabled, with the reason. */
export function useRefusal(organization: string, resource: string): string | undefined {
  const { data: session } = useQuery(sessionQuery(organization));
  if (!session || mayWrite(session, resource)) return undefined;
  return `Your role (${session.organization?.role}) does not include this.`;
}
