/** Objects of the API as they come: members by their name. */

export type Members = Record<string, unknown>;

export const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What stands at `item.svc_id`; undefined where there is nothing. */
export const memberAt = (object: Members, path: string): unknown =>
  path.split(".").reduce<unknown>((found, name) => (isObject(found) ? found[name] : undefined), object);

/** A copy in which a member is added; the object as it is where what holds the member is not there. */
export function withMember(object: Members, path: string, value: unknown): Members {
  const [name = "", ...rest] = path.split(".");
  if (rest.length === 0) return { ...object, [name]: value };
  const holder = object[name];
  return isObject(holder) ? { ...object, [name]: withMember(holder, rest.join("."), value) } : object;
}
