/** People call with the cookie of a session. It says who they are; a header says for which organization they act. */
import type { FastifyRequest } from "fastify";
import type { Caller, SignedIn } from "./caller.ts";
import { defineErrors, type Problem, refusal } from "./problem.ts";

/** Why a cookie has no caller. Unknown, revoked and expired sessions get the same answer. */
export type BadSession = "session_ended" | keyof typeof REFUSALS;

export type AuthenticatePerson = (
  request: { cookie: string; organizationId: string | undefined },
  mayLookUp: () => Promise<boolean>,
) => Promise<Caller | BadSession>;

export type People = {
  /** The token in the headers, or undefined. */
  readCookie: (header: string | undefined) => string | undefined;
  authenticate: AuthenticatePerson;
};

export const NO_PEOPLE: People = { readCookie: () => undefined, authenticate: async () => "session_ended" };

const ORGANIZATION_HEADER = "tallystick-organization";

const REFUSALS = {
  organization_missing: "Name the organization that you act for in the header `Tallystick-Organization`.",
  organization_not_reached:
    "You are not a member of this organization. Ask one of its owners or admins for an invitation.",
  second_factor_needed:
    "This organization demands a second factor. Sign in with one; if you have none, set one up in your account.",
  own_sign_in_needed:
    "You signed in through the identity provider of another organization, which cannot speak for you here. Send your password or a passkey " +
    "to `POST /session/proofs`, or sign in through a provider of this organization.",
  sso_needed: "This organization demands that you sign in through its own provider. Sign out, and sign in there.",
} as const;

export const peopleErrors = defineErrors({
  organization_missing: { status: 403, meaning: REFUSALS.organization_missing },
  organization_not_reached: { status: 403, meaning: REFUSALS.organization_not_reached },
  second_factor_needed: { status: 403, meaning: REFUSALS.second_factor_needed },
  own_sign_in_needed: { status: 403, meaning: REFUSALS.own_sign_in_needed },
  sso_needed: { status: 403, meaning: REFUSALS.sso_needed },
  request_of_another_site: {
    status: 403,
    meaning:
      "The browser does not say that a page of this service sends the request. Open the console at its own address, by https or on localhost: " +
      "over plain http, browsers say nothing. Programs use an API key instead of a cookie.",
  },
  proof_needed: {
    status: 403,
    meaning:
      "This change needs a proof of who you are that is at most 15 minutes old. Send the password, a code or a passkey to `POST /session/proofs`, and then this " +
      "request again.",
  },
});

export const SESSION_ENDED = {
  code: "session_ended",
  message: "You are not signed in, or your session has ended. Sign in at `POST /session`.",
} as const;

/** The refusal of a cookie. */
export const refusalOf = (found: BadSession): Problem =>
  found === "session_ended"
    ? refusal(401, SESSION_ENDED.code, { message: SESSION_ENDED.message })
    : peopleErrors.problem(found);

/**
 * A browser adds the cookie to whatever another site makes it send. Browsers say which site a request comes from; one that says nothing may
 * only read.
 */
export function refuseOtherSites({ method, headers }: FastifyRequest): void {
  const site = headers["sec-fetch-site"];
  const isRead = method === "GET" || method === "HEAD";
  if (site === "same-origin" || (isRead && (site === undefined || site === "none"))) return;
  throw peopleErrors.problem("request_of_another_site");
}

const PROOF_LASTS = { minutes: 15 };

export function demandProof(person: Pick<SignedIn, "provedAt">, now: Temporal.Instant): void {
  if (Temporal.Instant.compare(person.provedAt.add(PROOF_LASTS), now) >= 0) return;
  throw peopleErrors.problem("proof_needed");
}

export function organizationOf({ headers }: FastifyRequest): string | undefined {
  const named = headers[ORGANIZATION_HEADER];
  return typeof named === "string" && named !== "" ? named : undefined;
}
