/** How queries are kept and repeated, and what happens when the session ends under a page. */
import { UnauthenticatedError } from "@tallystick/client";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { Refusal } from "../api/session.ts";

const isSessionEnd = (error: unknown): boolean =>
  error instanceof UnauthenticatedError || (error instanceof Refusal && error.status === 401);

export function makeQueryClient(onSessionEnd: () => void): QueryClient {
  const client: QueryClient = new QueryClient({
    defaultOptions: { queries: { staleTime: 15_000, retry: 1 } },
    queryCache: new QueryCache({ onError: (error, query) => endSession(error, query.queryKey[0]) }),
    mutationCache: new MutationCache({ onError: (error) => endSession(error, undefined) }),
  });
  /** The guard of the pages asks for the session again, and leads to the sign-in. */
  function endSession(error: unknown, kind: unknown): void {
    if (!isSessionEnd(error) || kind === "session") return;
    client.removeQueries({ queryKey: ["session"] });
    onSessionEnd();
  }
  return client;
}
