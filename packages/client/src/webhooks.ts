/** Is this message from the service, whole and recent? With WebCrypto, so that it works wherever fetch does. */
import { systemNow } from "./clock.ts";
import type { LargeNumbers } from "./exact-json.ts";
import type { WebhookMessage } from "./generated/messages.ts";
import {
  bytesOf,
  encode,
  fromBase64,
  headerOf,
  parse,
  type WebhookBody,
  WebhookError,
  type WebhookHeaders,
} from "./webhook-parts.ts";

export { type WebhookBody, WebhookError, type WebhookHeaders } from "./webhook-parts.ts";

export type VerifyOptions = {
  /** How old a message may be, and how far ahead. Default 300. */
  toleranceSeconds?: number;
  /** Milliseconds since 1970; for tests. */
  now?: number;
  /** What becomes of a whole number beyond 2^53: an error (the default), or a bigint. */
  largeNumbers?: LargeNumbers;
};

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
  const stamp = encode(`${id}.${timestamp}.`);
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
