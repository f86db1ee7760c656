/** Where a page ends, with the state of the walk. Signed: a state that a caller made up would show sums that nobody computed. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Walk } from "@tallystick/core/explanation";
import { invalid } from "../../../http/problem.ts";
import type { CarriedValues } from "./values-in-use.ts";

export type Place =
  /** After an event, with what all up to it came to. */
  | {
      readonly after: { readonly at: string; readonly position: string };
      readonly walk: Walk;
      /** Of a unique count. */
      readonly values: CarriedValues;
    }
  /** So many events of those that are all at hand. */
  | { readonly passed: number };

/** Of the organization, with which nobody else signs. */
export type CursorKey = { readonly secret: Buffer; readonly feeId: string };

export function writeCursor(key: CursorKey, place: Place): string {
  const payload = Buffer.from(JSON.stringify(place)).toString("base64url");
  return `${payload}.${sign(key, payload).toString("base64url")}`;
}

/** null: the first page. A cursor of another fee, or of another organization's, is none. */
export function readCursor(key: CursorKey, cursor: string | undefined): Place | null {
  if (cursor === undefined) return null;
  const [payload = "", signature = "", ...more] = cursor.split(".");
  const right = sign(key, payload);
  const input = Buffer.from(signature, "base64url");
  if (more.length > 0 || input.length !== right.length || !timingSafeEqual(input, right)) {
    throw invalid({ cursor: ["value_is_invalid"] });
  }
  return JSON.parse(Buffer.from(payload, "base64url").toString());
}

/** The first words keep it apart from everything else that the secret signs. */
const sign = ({ secret, feeId }: CursorKey, payload: string): Buffer =>
  createHmac("sha256", secret).update(`explanation cursor\n${feeId}\n${payload}`).digest();
