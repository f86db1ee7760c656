/**
 * Talks OpenID Connect with a provider: the code flow with PKCE, state and nonce. Discovery and keys are read for each sign-in, so that
 * a provider can change its keys at any time; and only through the outbound HTTP of the service, so that an issuer leads to no private address.
 */
import * as client from "openid-client";
import { OutboundFailure, type OutboundHttp } from "../../../platform/outbound-http/outbound-http.ts";
import { identityProviderErrors } from "./errors.ts";

const BYTES_MAX = 512 * 1024;
const SCOPE = "openid email profile";

export type ProviderClient = { issuer: string; clientId: string; clientSecret: string; outbound: OutboundHttp };

export const redirectUriOf = (publicUrl: string): string => `${publicUrl}/session/oidc/callback`;

/** What a sign-in remembers until the browser comes back. */
export type Remembered = { state: string; nonce: string; codeVerifier: string };

export const newRemembered = (): Remembered => ({
  state: client.randomState(),
  nonce: client.randomNonce(),
  codeVerifier: client.randomPKCECodeVerifier(),
});

type AuthorizationRequest = Remembered & { redirectUri: string; email: string; again: boolean };

/** Where the browser goes. `again`: the person is signed in, and is to prove it there once more. */
export async function authorizationUrl(provider: ProviderClient, request: AuthorizationRequest): Promise<string> {
  const url = client.buildAuthorizationUrl(await discover(provider), {
    redirect_uri: request.redirectUri,
    scope: SCOPE,
    state: request.state,
    nonce: request.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(request.codeVerifier),
    code_challenge_method: "S256",
    login_hint: request.email,
    ...(request.again ? { prompt: "login" } : {}),
  });
  return url.href;
}

export type Claims = { subject: string; email: string | undefined; isVerified: boolean; name: string | undefined };

/** Exchanges the code of the answer, and checks the signature, issuer, audience, age and nonce of what comes back. */
export async function readAnswer(
  provider: ProviderClient,
  answerUrl: URL,
  { state, nonce, codeVerifier }: Remembered,
): Promise<Claims> {
  const configuration = await discover(provider);
  try {
    const tokens = await client.authorizationCodeGrant(configuration, answerUrl, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    });
    const own = tokens.claims();
    if (!own) throw identityProviderErrors.problem("provider_answer_invalid");
    // Some providers say only there what the mail address is.
    const said =
      own.email === undefined ? await client.fetchUserInfo(configuration, tokens.access_token, own.sub) : own;
    const { email, email_verified, name } = said;
    return {
      subject: own.sub,
      email: textOf(email),
      isVerified: email_verified === true,
      name: textOf(name),
    };
  } catch (error) {
    throw asProblem(error);
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

async function discover({ issuer, clientId, clientSecret, outbound }: ProviderClient): Promise<client.Configuration> {
  const isPlain = new URL(issuer).protocol === "http:";
  try {
    return await client.discovery(new URL(issuer), clientId, undefined, authenticationBy(clientSecret), {
      [client.customFetch]: fetchBy(outbound),
      // Without it, the library would trust TLS alone. Plain http is for hosts that OUTBOUND_TRUSTED_HOSTS names.
      execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
    });
  } catch (error) {
    throw notReached(error);
  }
}

/** Basic is what every provider must understand; some ask for the other one. */
function authenticationBy(secret: string): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (supported.includes("client_secret_basic") ? basic : post)(server, ...rest);
  };
}

const fetchBy =
  (outbound: OutboundHttp): client.CustomFetch =>
  async (url, { method, headers, body }) => {
    const bytes = Buffer.from(body === undefined || body === null ? "" : String(body));
    const answer =
      method === "POST" ? await outbound.post(url, headers, bytes) : await outbound.get(url, headers, BYTES_MAX);
    return new Response(new Uint8Array(answer.body), { status: answer.status, headers: answer.headers });
  };

const notReached = (cause: unknown) =>
  Object.assign(identityProviderErrors.problem("identity_provider_not_reached"), { cause });

/** The words of the library are for the log. */
function asProblem(error: unknown) {
  const { cause } = error as { cause?: unknown };
  if (error instanceof OutboundFailure || cause instanceof OutboundFailure) return notReached(error);
  const code = error instanceof client.AuthorizationResponseError ? "provider_refused" : "provider_answer_invalid";
  return Object.assign(identityProviderErrors.problem(code), { cause: error });
}
