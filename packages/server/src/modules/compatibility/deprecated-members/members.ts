/** API objects as plain members by name. */

export type Members = Record<string, unknown>;

export const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value at a path such as `item.svc_id`; undefined if it is missing. */
export const memberAt = (object: Members, path: string): unknown =>
  path.split(".").reduce<unknown>((found, name) => (isObject(found) ? found[name] : undefined), object);

/** A copy with the member added, or the same object if the parent of the member is missing. */
export function withMember(object: Members, path: string, value: unknown): Members {
  const [name = "", ...rest] = path.split(".");
  if (rest.length === 0) return { ...object, [name]: value };
  const holder = object[name];
  return isObject(holder) ? { ...object, [name]: withMember(holder, rest.join("."), value) } : object;
}
