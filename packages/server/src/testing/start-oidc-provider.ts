/** A real OpenID Connect provider on loopback, whose people sign in without being seen, and whose answers can be forged with its own key. */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import { afterAll } from "vitest";

export const CLIENT = { client_id: "tallystick", client_secret: "a secret of the provider" };

type Account = { email?: string; email_verified?: boolean; name?: string };
type Payload = Record<string, unknown>;
/** What happens to answers of the provider on their way. */
export type Faults = {
  idToken?: (payload: Payload) => Payload;
  signedBy?: KeyObject;
  discovery?: (document: Payload) => Payload;
};

export type TestProvider = {
  issuer: string;
  /** By subject, which is what the person types there. */
  accounts: Map<string, Account>;
  faults: Faults;
  /** New keys in place of the old ones. */
  rotateKeys: () => void;
  stop: () => Promise<void>;
  /** Signs the person in, and returns where the browser is sent then. */
  visit: (authorizationUrl: string, subject: string) => Promise<string>;
};

export const newSigningKey = (): KeyObject => generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

function forge(token: string, { idToken = (payload) => payload }: Faults, key: KeyObject, kid: string): string {
  const payload = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Payload;
  const head = `${base64({ alg: "RS256", kid })}.${base64(idToken(payload))}`;
  return `${head}.${sign("sha256", Buffer.from(head), key).toString("base64url")}`;
}

export async function startOidcProvider(redirectUri: string): Promise<TestProvider> {
  const accounts = new Map<string, Account>();
  const faults: Faults = {};
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
  const server = createServer((request, response) => void handle(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  let keys = 0;
  /** Of the person at the provider now. */
  let subject = "";

  const rotateKeys = (): void => {
    const key = newSigningKey();
    const kid = `key-${++keys}`;
    const provider = new Provider(issuer, {
      clients: [{ ...CLIENT, redirect_uris: [redirectUri] }],
      jwks: { keys: [{ ...key.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" }] },
      cookies: { keys: ["loopback"] },
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: (_: unknown, sub: string) => ({
        accountId: sub,
        claims: () => ({ sub, ...accounts.get(sub) }),
      }),
    });
    provider.use(async (context: { path: string; body: Payload }, next: () => Promise<void>) => {
      await next();
      const { path, body } = context;
      if (path === "/token" && (faults.idToken || faults.signedBy) && typeof body.id_token === "string")
        context.body = { ...body, id_token: forge(body.id_token, faults, faults.signedBy ?? key, kid) };
      if (path.startsWith("/.well-known/") && faults.discovery) context.body = faults.discovery(body);
    });
    const answer = provider.callback();
    handle = (request, response) =>
      request.url?.startsWith("/interaction/")
        ? interact(provider, request, response, subject)
        : answer(request, response);
  };
  rotateKeys();
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  afterAll(stop);
  const visit = (url: string, as: string): Promise<string> => {
    subject = as;
    return follow(url, issuer);
  };
  return { issuer, accounts, faults, rotateKeys, stop, visit };
}

/** Signs in and consents, as a person would in its pages. */
async function interact(
  provider: InstanceType<typeof Provider>,
  request: IncomingMessage,
  response: ServerResponse,
  accountId: string,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === "login") return provider.interactionFinished(request, response, { login: { accountId } });
  const grant = new provider.Grant({ accountId: session?.accountId ?? "", clientId: params.client_id });
  grant.addOIDCScope("openid email profile");
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

const HOPS_MAX = 10;

/** As a browser with cookies of its own, until it leaves the provider. */
async function follow(url: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>();
  let next = url;
  for (let hops = 0; hops < HOPS_MAX && next.startsWith(issuer); hops++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(next, { redirect: "manual", headers: { cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [name = "", value = ""] = (set.split(";")[0] ?? "").split("=");
      cookies.set(name, value);
    }
    const location = answer.headers.get("location");
    if (location === null) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
    next = new URL(location, next).href;
  }
  return next;
}
