/** Who is signed in, where the person may go, and what it may do there. `/session` is outside of the API and its client. */
import { queryOptions } from "@tanstack/react-query";

type Organization = { id: string; name: string; is_sandbox: boolean; role: string; obstacle: string | null };
type Permission = { resource: string; actions: readonly ("read" | "write")[] };

export type Session = {
  user: { id: string; email: string; name: string };
  organizations: readonly Organization[];
  organization: { id: string; role: string; permissions: readonly Permission[] } | null;
};

/** A refusal of /session. `message` is its sentence: what is wrong, and what to do. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  constructor(status: number, body: { message?: string; error?: string; code?: string; request_id?: string }) {
    super(body.message ?? body.error ?? "The service did not answer. Try again in a moment.");
    this.status = status;
    this.code = body.code;
    this.requestId = body.request_id;
  }
}

type Call = { method?: "GET" | "POST" | "PUT" | "DELETE"; body?: object; organization?: string };

export async function callSession<Answer>(
  path: string,
  { method = "GET", body, organization }: Call = {},
): Promise<Answer> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (body) headers["content-type"] = "application/json";
  if (organization) headers["tallystick-organization"] = organization;
  const response = await fetch(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }).catch(() => {
    throw new Refusal(0, {});
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(response.status, answer);
  return answer as Answer;
}

export const sessionQuery = (organization?: string) =>
  queryOptions({
    queryKey: ["session", organization ?? null],
    queryFn: async () =>
      (await callSession<{ session: Session }>("/session", organization ? { organization } : {})).session,
    retry: false,
  });

export const mayWrite = (session: Session | undefined, resource: string): boolean =>
  session?.organization?.permissions.some((one) => one.resource === resource && one.actions.includes("write")) ?? false;
