/** The end of a page, with the running totals up to it. Cursors are signed: a forged state would show sums that we never computed. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Walk } from "@tallystick/core/explanation";
import { invalidCursor } from "../../../http/list-query.ts";
import type { CarriedValues } from "./values-in-use.ts";

export type Place =
  /** The last event of a page, with the totals of all events up to it. */
  | {
      readonly after: { readonly at: string; readonly position: string };
      readonly walk: Walk;
      /** Set for unique counts only. */
      readonly values: CarriedValues;
    }
  /** How many events are passed, for a fee whose events are all loaded at once. */
  | { readonly passed: number };

/** Each organization has a secret of its own. */
export type CursorKey = { readonly secret: Buffer; readonly feeId: string };

export function writeCursor(key: CursorKey, place: Place): string {
  const payload = Buffer.from(JSON.stringify(place)).toString("base64url");
  return `${payload}.${sign(key, payload).toString("base64url")}`;
}

/** Returns null for the first page. Rejects a cursor of another fee or organization. */
export function readCursor(key: CursorKey, cursor: string | undefined): Place | null {
  if (cursor === undefined) return null;
  const [payload = "", signature = "", ...more] = cursor.split(".");
  const right = sign(key, payload);
  const input = Buffer.from(signature, "base64url");
  if (more.length > 0 || input.length !== right.length || !timingSafeEqual(input, right)) {
    throw invalidCursor();
  }
  return JSON.parse(Buffer.from(payload, "base64url").toString());
}

/** The prefix separates cursors from everything else that the secret signs. */
const sign = ({ secret, feeId }: CursorKey, payload: string): Buffer =>
  createHmac("sha256", secret).update(`explanation cursor\n${feeId}\n${payload}`).digest();
