/** What every check of a webhook reads: its headers and its bytes. */
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

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const encode = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);

export function headerOf(headers: WebhookHeaders, name: string): string {
  const isFetch = typeof headers.get === "function";
  const found = isFetch
    ? (headers as { get: (name: string) => string | null }).get(name)
    : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  if (typeof found !== "string") throw new WebhookError(`The header ${name} is missing.`);
  return found;
}

export function bytesOf(body: WebhookBody): Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return encode(body);
  if (body instanceof ArrayBuffer || body instanceof Uint8Array) return new Uint8Array(body);
  throw new WebhookError("The body was parsed already. Pass it as it came: text or bytes.");
}

export const textOf = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new WebhookError("The body is not UTF-8.");
  }
};

export function parse(bytes: Uint8Array, largeNumbers: LargeNumbers | undefined): WebhookMessage {
  return parseExact(textOf(bytes), largeNumbers) as WebhookMessage;
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
