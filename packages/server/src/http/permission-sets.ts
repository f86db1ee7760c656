/** Sets of permissions: what one contains, and whether one lies within another. */

export type Action = "read" | "write";
/** What a caller may do, by resource; null means everything ordinary. */
export type Permissions = Record<string, readonly Action[]> | null;

/** In place of a resource: all ordinary resources, present and future. `null` is short for reading and writing them. */
export const ORDINARY = "*";

/** Who may call, and with what rights: neither `null` nor `*` contains them, so that no caller has them by accident. */
const NAMED_ONLY: readonly string[] = ["api_key", "identity_provider", "member", "role"];

const EVERYTHING: Exclude<Permissions, null> = { [ORDINARY]: ["read", "write"] };

/** The same set, without the short form. */
export const spelledOut = (permissions: Permissions): Exclude<Permissions, null> => permissions ?? EVERYTHING;

export function allows(permissions: Permissions, resource: string, action: Action): boolean {
  const set = spelledOut(permissions);
  const isNamed = set[resource]?.includes(action) === true;
  return isNamed || (!NAMED_ONLY.includes(resource) && set[ORDINARY]?.includes(action) === true);
}

/** Whether a caller with `outer` may hand out `inner`. */
export const isWithin = (inner: Permissions, outer: Permissions): boolean =>
  Object.entries(spelledOut(inner)).every(([resource, actions]) =>
    actions.every((action) => allows(outer, resource, action)),
  );
