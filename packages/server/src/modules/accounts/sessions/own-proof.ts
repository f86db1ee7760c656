/** What a session must have proved before a person changes how it signs in. An identity provider speaks for its organization only. */
import { demandProof } from "../../../http/people.ts";
import { sessionErrors } from "./errors.ts";

/** The second factors that a person has set up, such as `totp`. */
export type FactorsOf = (userId: string) => Promise<readonly string[]>;

export type ProvenBy = { user_id: string; methods: readonly string[] };

/** Proofs of the person itself, each of which begins a sign-in. */
const OWN = ["password", "passkey"];
const SECOND = ["totp", "passkey", "recovery_code"];

export const hasOwnProof = (methods: readonly string[]): boolean => methods.some((method) => OWN.includes(method));
export const hasSecondFactor = (methods: readonly string[]): boolean =>
  methods.some((method) => SECOND.includes(method));

/** Whoever has a second factor must have proved it: neither a password nor a provider replaces it. */
export async function demandSecondFactor(
  { factorsOf }: { factorsOf: FactorsOf },
  { user_id, methods }: ProvenBy,
): Promise<void> {
  if (!hasSecondFactor(methods) && (await factorsOf(user_id)).length > 0)
    throw sessionErrors.problem("second_factor_first");
}

/** A proof of its own, and a recent one. */
export async function demandOwnProof(
  deps: { factorsOf: FactorsOf },
  session: ProvenBy & { proved_at: Temporal.Instant },
  now: Temporal.Instant,
): Promise<void> {
  await demandSecondFactor(deps, session);
  if (!hasOwnProof(session.methods)) throw sessionErrors.problem("own_proof_needed");
  demandProof({ provedAt: session.proved_at }, now);
}
