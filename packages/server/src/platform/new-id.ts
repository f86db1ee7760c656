/** Creates every id of the service: UUID v7, so that new rows are adjacent in an index. */
import { randomFillSync } from "node:crypto";
import { v7 } from "uuid";

export const newId = (): string => v7();

const BYTES_EACH = 16;

/** Many ids at once, as consecutive bytes. The expensive part of creating an id is done once. */
export function newIdBytes(count: number): Buffer {
  const bytes = Buffer.allocUnsafe(BYTES_EACH * count);
  randomFillSync(bytes);
  // One id with the current time; the others copy it.
  v7({}, bytes, 0);
  for (let at = BYTES_EACH; at < bytes.length; at += BYTES_EACH) {
    bytes.copyWithin(at, 0, 6);
    bytes[at + 6] = 0x70 | ((bytes[at + 6] ?? 0) & 0x0f);
    bytes[at + 8] = 0x80 | ((bytes[at + 8] ?? 0) & 0x3f);
  }
  return bytes;
}

/** The texts of consecutive ids. */
export function toIdTexts(bytes: Buffer): string[] {
  const hex = bytes.toString("hex");
  return Array.from({ length: bytes.length / BYTES_EACH }, (_, index) => {
    const at = 2 * BYTES_EACH * index;
    const part = (from: number, to: number) => hex.slice(at + from, at + to);
    return `${part(0, 8)}-${part(8, 12)}-${part(12, 16)}-${part(16, 20)}-${part(20, 32)}`;
  });
}
