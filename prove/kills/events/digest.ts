/** The digest of an event as it is documented, computed from what was sent and with none of the service's code. */
import { createHash } from "node:crypto";
import type { SentEvent } from "./sent-events.ts";

const MODULUS = 2n ** 128n;

/** `timestamp`: microseconds since 1970; of an event that was sent without one, what it took. */
export function digestOf(organizationId: string, event: SentEvent, timestamp: bigint): bigint {
  const members = event.properties.flatMap(({ name, canonical }) => [name, canonical]);
  const body = first16Bytes([event.code, ...members].map(withLength).join(""));
  const identity = organizationId + withLength(event.subscription) + withLength(event.transaction);
  return BigInt(`0x${first16Bytes(`${identity}${timestamp}:${body}`)}`);
}

export const addDigests = (one: bigint, other: bigint): bigint => (one + other) % MODULUS;

const withLength = (text: string): string => `${text.length}:${text}`;

const first16Bytes = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);
