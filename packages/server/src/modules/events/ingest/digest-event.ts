/** Digests that distinguish a repeat from a conflict, and that later prove which events were counted. */
import { hash } from "node:crypto";

const DIGEST_BYTES = 16;

/** The body of an event: code and properties, each by its canonical text. Hexadecimal, 16 bytes. */
export function digestBody(code: string, canonical: readonly string[]): string {
  let text = framed(code);
  for (const part of canonical) text += framed(part);
  return digest(text);
}

type Identified = { externalSubscriptionId: string; transactionId: string; bodyDigest: string };

/** Identity, timestamp and body. */
export function digestEvent(organizationId: string, event: Identified, timestamp: bigint): string {
  const identity = organizationId + framed(event.externalSubscriptionId) + framed(event.transactionId);
  return digest(`${identity}${timestamp}:${event.bodyDigest}`);
}

/** With its length in front, so that two lists of texts never read the same. */
const framed = (text: string): string => `${text.length}:${text}`;

const digest = (text: string): string => hash("sha256", text, "hex").slice(0, 2 * DIGEST_BYTES);
