/** Mail addresses, as they are compared: without spaces around them, and in lower case. */
import { Type } from "@fastify/type-provider-typebox";
import { invalidMembers } from "../../../http/problem.ts";

const LENGTH_MAX = 254;

export const emailSchema = Type.String({ maxLength: 1000 });

export const normalizeEmail = (text: string): string => text.trim().toLowerCase();

/** The address in its stored form. */
export function readEmail(text: string): string {
  const email = normalizeEmail(text);
  if (email.length <= LENGTH_MAX && /^[^\s@,;<>"()]+@[^\s@,;<>"()]+$/.test(email)) return email;
  throw invalidMembers([{ path: "email", code: "value_is_invalid", message: "Send one email address." }]);
}
