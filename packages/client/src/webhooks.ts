/** Is this message from the service, whole and recent? With WebCrypto, so that it works wherever fetch does. */
import { systemNow } from "./clock.ts";
import { type LargeNumbers, parseExact } from "./exact-json.ts";
import type { WebhookMessage } from "./generated/messages.ts";

/** The message must not be trusted; `message` says why. */
export class WebhookError extends Error {
  override name = "WebhookError";
}

export type WebhookHeaders =
  | { get: (name: string) => string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The body as it came, before anything parsed it. */
export type WebhookBody = string | Uint8Array | ArrayBuffer;

export type VerifyOptions = {
  /** How old a message may be, and how far ahead. Default 300. */
  toleranceSeconds?: number;
  /** Milliseconds since 1970; for tests. */
  now?: number;
  /** What becomes of a whole number beyond 2^53: an error (the default), or a bigint. */
  largeNumbers?: LargeNumbers;
};

export type VerifyJwtOptions = Pick<VerifyOptions, "largeNumbers"> & {
  /** The `PUBLIC_URL` of the service; another issuer is refused. */
  issuer?: string;
  /** The `field_prefix` of the organization. Default `svc`. */
  fieldPrefix?: string;
};

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Checks the signature of Standard Webhooks with the secret of the endpoint, or with each of several. Resolves with the message. */
export async function verifyWebhook(
  body: WebhookBody,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = systemNow(), largeNumbers }: VerifyOptions = {},
): Promise<WebhookMessage> {
  const [id, timestamp] = [headerOf(headers, "webhook-id"), headerOf(headers, "webhook-timestamp")];
  const given = headerOf(headers, "webhook-signature").split(" ");
  if (!/^\d+$/.test(timestamp)) throw new WebhookError("The header webhook-timestamp is no number.");
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookError("The message is too old, or this clock is wrong.");
  const bytes = bytesOf(body);
  const stamp = encoder.encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(stamp.length + bytes.length);
  signed.set(stamp);
  signed.set(bytes, stamp.length);
  for (const one of [secret].flat()) {
    const raw = fromBase64(one.replace(/^whsec_/, ""));
    if (raw === undefined || raw.length === 0) throw new WebhookError("The secret is not one that the API showed.");
    const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const text of given) {
      const signature = text.startsWith("v1,") ? fromBase64(text.slice(3)) : undefined;
      // Takes the same time whichever byte differs.
      if (signature && (await crypto.subtle.verify("HMAC", key, signature, signed))) return parse(bytes, largeNumbers);
    }
  }
  throw new WebhookError("The signature does not match: another secret, or a body that was changed.");
}

/**
 * Checks the JWT of an endpoint whose `signature_algo` is `jwt`, with the public key of `webhooks.getPublicKey()`. A JWT has no time in
 * it, so remember the `webhook-id` of what you handled, or check with `verifyWebhook`.
 */
export async function verifyWebhookJwt(
  body: WebhookBody,
  headers: WebhookHeaders,
  publicKey: string,
  { issuer, fieldPrefix = "svc", largeNumbers }: VerifyJwtOptions = {},
): Promise<WebhookMessage> {
  const parts = headerOf(headers, `x-${fieldPrefix}-signature`).split(".");
  const [head, claims, signature] = parts.map((part) => fromBase64(part.replaceAll("-", "+").replaceAll("_", "/")));
  if (parts.length !== 3 || !head || !claims || !signature) throw new WebhookError("The signature is no JWT.");
  const isRs256 = (jsonOf(head) as { alg?: unknown }).alg === "RS256";
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const signed = encoder.encode(`${parts[0]}.${parts[1]}`);
  const key = await crypto.subtle.importKey("spki", derOf(publicKey), algorithm, false, ["verify"]);
  if (!isRs256 || !(await crypto.subtle.verify(algorithm.name, key, signature, signed)))
    throw new WebhookError("The signature does not match: another key, or a token that was changed.");
  const { data, sha256, iss } = jsonOf(claims) as { data?: string; sha256?: string; iss?: string };
  const bytes = bytesOf(body);
  const isBody = data === undefined ? sha256 === (await digestOf(bytes)) : data === textOf(bytes);
  if (!isBody) throw new WebhookError("The signature is not of this body.");
  if (issuer !== undefined && iss !== issuer) throw new WebhookError(`The issuer is ${iss}, and not ${issuer}.`);
  return parse(bytes, largeNumbers);
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const isFetch = typeof headers.get === "function";
  const found = isFetch
    ? (headers as { get: (name: string) => string | null }).get(name)
    : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  if (typeof found !== "string") throw new WebhookError(`The header ${name} is missing.`);
  return found;
}

function bytesOf(body: WebhookBody): Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return encoder.encode(body);
  if (body instanceof ArrayBuffer || body instanceof Uint8Array) return new Uint8Array(body);
  throw new WebhookError("The body was parsed already. Pass it as it came: text or bytes.");
}

const textOf = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new WebhookError("The body is not UTF-8.");
  }
};

function parse(bytes: Uint8Array, largeNumbers: LargeNumbers | undefined): WebhookMessage {
  return parseExact(textOf(bytes), largeNumbers) as WebhookMessage;
}

function jsonOf(bytes: Uint8Array): object {
  try {
    return Object(JSON.parse(textOf(bytes)));
  } catch {
    throw new WebhookError("The signature is no JWT.");
  }
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** A PEM, or the Base64 of one, as the API shows it. */
function derOf(publicKey: string): Uint8Array<ArrayBuffer> {
  const pem = publicKey.includes("-----") ? publicKey : textOf(fromBase64(publicKey) ?? new Uint8Array());
  const der = fromBase64(pem.replaceAll(/-----[^-]+-----|\s/g, ""));
  if (!der?.length) throw new WebhookError("The public key is not one that the API showed.");
  return der;
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
