/** Which passwords are accepted: long ones that others do not try first. No rules on kinds of characters, and no end date. */
import { Type } from "@fastify/type-provider-typebox";
import { invalidMembers } from "../../../http/problem.ts";
import { COMMON_PASSWORDS } from "./common-passwords.ts";

const LENGTH_MIN = 12;
const LENGTH_MAX = 128;

/** The length is checked here and not by the schema, which counts other units than people do. */
export const passwordSchema = Type.String({ maxLength: 1000 });

export function demandGoodPassword(password: string, { email, name }: { email: string; name: string }): void {
  const length = [...password.normalize("NFKC")].length;
  if (length < LENGTH_MIN)
    throw refused("value_is_too_short", `Choose a password with at least ${LENGTH_MIN} characters.`);
  if (length > LENGTH_MAX)
    throw refused("value_is_too_long", `Choose a password with at most ${LENGTH_MAX} characters.`);
  const plain = password.normalize("NFKC").toLowerCase();
  if (isGuessed(plain, [email, email.split("@")[0] ?? "", name]))
    throw refused("value_is_invalid", "Choose another password: this one is among the first that others try.");
}

const refused = (code: string, message: string) => invalidMembers([{ path: "password", code, message }]);

/** Common ones, few characters over and over, a run along the alphabet or the keyboard, and the person's own name or address. */
function isGuessed(plain: string, own: readonly string[]): boolean {
  if (COMMON_PASSWORDS.has(plain) || new Set(plain).size < 5 || isRepeated(plain) || isRun(plain)) return true;
  const rest = own
    .filter((text) => text.length >= 4)
    .reduce((left, text) => left.replaceAll(text.toLowerCase(), ""), plain);
  return rest.length < plain.length / 2;
}

/** The same part again and again: "secretsecret". */
const isRepeated = (plain: string): boolean => /^(.{1,8})\1+.{0,3}$/u.test(plain);

const RUNS = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890123456789",
  "qwertyuiopasdfghjklzxcvbnm",
  "1qaz2wsx3edc4rfv5tgb6yhn",
];
const isRun = (plain: string): boolean =>
  RUNS.some((run) => `${run}${run}`.includes(plain) || [...run, ...run].reverse().join("").includes(plain));
