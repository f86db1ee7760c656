/** What a caller stores with a wallet or a transaction, and reads back. Nothing is computed from it. */
import { combine, fault, isMembers, listOf, object, ok, type Reader, required, shortText } from "../catalog/index.ts";

const KEYS_MAX = 50;
const KEY_LENGTH_MAX = 100;
const VALUE_LENGTH_MAX = 255;

export type Metadata = Readonly<Record<string, string | null>>;
export type MetadataPair = { readonly key: string; readonly value: string };

/** Of a wallet: key → text or null. */
export const metadata: Reader<Metadata> = (value, field) => {
  if (!isMembers(value)) return fault(field, "value_is_invalid");
  const entries = Object.entries(value);
  if (entries.length > KEYS_MAX) return fault(field, "too_many_keys");
  const isValid = entries.every(([, text]) => text === null || typeof text === "string");
  if (!isValid) return fault(field, "value_is_invalid");
  const isShort = entries.every(
    ([key, text]) => key.length <= KEY_LENGTH_MAX && (typeof text === "string" ? text : "").length <= VALUE_LENGTH_MAX,
  );
  return isShort ? ok(value as Metadata) : fault(field, "value_is_too_long");
};

/** Of a transaction: a list of pairs. */
export const metadataPairs: Reader<readonly MetadataPair[]> = (value, field) => {
  const pairs = listOf(
    object((item) => combine({ key: required(item, "key", shortText), value: required(item, "value", shortText) })),
  )(value, field);
  return pairs.ok && pairs.value.length > KEYS_MAX ? fault(field, "too_many_keys") : pairs;
};

/** Credits are invoiced when they are bought, never only once they are paid. To accept `true` would be to ignore it. */
export const invoicedAtOnce: Reader<false> = (value, field) => {
  if (value === false) return ok(false);
  return fault(field, value === true ? "unsupported_value" : "value_is_invalid");
};
