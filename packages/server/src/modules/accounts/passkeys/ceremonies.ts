/**
 * Registers passkeys and checks what they sign. The authenticator must verify the person, by a finger or a PIN, so a passkey counts as two
 * factors. What it is made of is not checked: no attestation is wanted.
 */
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { FastifyBaseLogger } from "fastify";
import { parse as uuidBytes } from "uuid";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/postgres/database.ts";
import { hashOf } from "../links/index.ts";
import { passkeyErrors } from "./errors.ts";
import { findPasskey, insertChallenge, listPasskeys, type PasskeyRow, takeChallenge, usePasskey } from "./store.ts";

/** Loaded with the first passkey: it takes a process 30 MB and longer to start than the rest of the module. */
const webauthn = () => import("@simplewebauthn/server");

const SERVICE = "Tallystick";
const LASTS = { minutes: 5 };
const USER_VERIFICATION = "required";

export type CeremonyDeps = { dispatcherDb: Database; clock: Clock; publicUrl: string };
/** Null before anyone knows who signs in. */
export type Purpose = { purpose: "register" | "prove"; userId: string } | { purpose: "sign_in"; userId: string | null };

async function keepChallenge({ dispatcherDb, clock }: CeremonyDeps, { purpose, userId }: Purpose, challenge: string) {
  const now = clock.now();
  await insertChallenge(dispatcherDb, {
    challenge_hash: hashOf(challenge),
    purpose,
    user_id: userId,
    created_at: now,
    expires_at: now.add(LASTS),
  });
}

const descriptorOf = ({ credential_id, transports }: PasskeyRow) => ({
  id: credential_id.toString("base64url"),
  transports: transports as AuthenticatorTransport[],
});

export async function registrationOptions(deps: CeremonyDeps, user: { id: string; email: string; name: string }) {
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: SERVICE,
    rpID: new URL(deps.publicUrl).hostname,
    userID: Uint8Array.from(uuidBytes(user.id)),
    userName: user.email,
    userDisplayName: user.name,
    attestationType: "none",
    excludeCredentials: (await listPasskeys(deps.dispatcherDb, user.id)).map(descriptorOf),
    authenticatorSelection: { residentKey: "required", userVerification: USER_VERIFICATION },
  });
  await keepChallenge(deps, { purpose: "register", userId: user.id }, options.challenge);
  return options;
}

/** Without a person, the browser offers every passkey of this service. */
export async function authenticationOptions(deps: CeremonyDeps, purpose: Purpose) {
  const known = purpose.userId === null ? [] : await listPasskeys(deps.dispatcherDb, purpose.userId);
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: new URL(deps.publicUrl).hostname,
    allowCredentials: known.map(descriptorOf),
    userVerification: USER_VERIFICATION,
  });
  await keepChallenge(deps, purpose, options.challenge);
  return options;
}

const expected = ({ dispatcherDb, clock, publicUrl }: CeremonyDeps, { purpose, userId }: Purpose) => ({
  expectedChallenge: (challenge: string) =>
    takeChallenge(dispatcherDb, { hash: hashOf(challenge), purpose, userId, now: clock.now() }),
  expectedOrigin: new URL(publicUrl).origin,
  expectedRPID: new URL(publicUrl).hostname,
  requireUserVerification: true,
});

/** What is to be stored. */
export async function checkRegistration(deps: CeremonyDeps, userId: string, response: object, log: FastifyBaseLogger) {
  const { verifyRegistrationResponse } = await webauthn();
  const { registrationInfo } = await orRefuse(log, () =>
    verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      ...expected(deps, { purpose: "register", userId }),
    }),
  );
  if (!registrationInfo) throw passkeyErrors.problem("passkey_refused");
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  return {
    credential_id: Buffer.from(id, "base64url"),
    public_key: Buffer.from(publicKey),
    counter: BigInt(counter),
    transports: [...transports],
  };
}

/** The person of the passkey. With `purpose.userId`, nobody else. */
export async function checkAssertion(
  deps: CeremonyDeps,
  purpose: Purpose,
  response: object,
  log: FastifyBaseLogger,
): Promise<string> {
  const { id, response: signed } = response as AuthenticationResponseJSON;
  const passkey = await findPasskey(deps.dispatcherDb, Buffer.from(id, "base64url"));
  if (!passkey) throw passkeyErrors.problem("passkey_refused");
  const { verifyAuthenticationResponse } = await webauthn();
  const { verified, authenticationInfo } = await orRefuse(log, () =>
    verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      ...expected(deps, purpose),
      credential: {
        id,
        publicKey: new Uint8Array(passkey.public_key),
        counter: Number(passkey.counter),
      },
    }),
  );
  const handle = signed.userHandle;
  const isOfPerson =
    (purpose.userId === null || passkey.user_id === purpose.userId) &&
    (handle === undefined || handle === Buffer.from(uuidBytes(passkey.user_id)).toString("base64url"));
  if (!verified || !isOfPerson) throw passkeyErrors.problem("passkey_refused");
  const used = { counter: authenticationInfo.newCounter, now: deps.clock.now() };
  if (!(await usePasskey(deps.dispatcherDb, passkey.id, used))) throw passkeyErrors.problem("passkey_refused");
  return passkey.user_id;
}

/** The library throws for whatever is wrong with a response. Its words are for the log: they say nothing that the caller needs. */
async function orRefuse<T>(log: FastifyBaseLogger, verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (error) {
    log.info({ reason: String(error) }, "a passkey was refused");
    throw passkeyErrors.problem("passkey_refused");
  }
}
