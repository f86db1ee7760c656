/** What a set of permissions contains. Keys and roles are such sets; nobody hands out more than they have. */
export type Action = "read" | "write";
/** What a caller may do, by resource; null means everything that need not be named. */
export type Permissions = Record<string, readonly Action[]> | null;

/** Who may act for the organization, and how they sign in. Only a set that names them reaches them, so that no key gained them. */
const NAMED_ONLY: ReadonlySet<string> = new Set(["api_key", "identity_provider", "member", "role"]);

/** In place of a resource: every one that need not be named. */
export const EVERY_RESOURCE = "*";

export function isAllowed(permissions: Permissions, resource: string, action: Action): boolean {
  if (permissions === null) return !NAMED_ONLY.has(resource);
  if (Object.hasOwn(permissions, resource)) return permissions[resource]?.includes(action) ?? false;
  return !NAMED_ONLY.has(resource) && (permissions[EVERY_RESOURCE]?.includes(action) ?? false);
}

/** The same set, without the short form. */
export const spelledOut = (permissions: Permissions): Exclude<Permissions, null> =>
  permissions ?? { [EVERY_RESOURCE]: ["read", "write"] };

/** Whether `outer` allows everything that `inner` allows. */
export function isWithin(inner: Permissions, outer: Permissions): boolean {
  return Object.entries(spelledOut(inner)).every(([resource, actions]) =>
    actions.every((action) => namesOf(resource, outer).every((name) => isAllowed(outer, name, action))),
  );
}

/** Every resource includes those that `outer` names, of which it may allow less. */
const namesOf = (resource: string, outer: Permissions): readonly string[] =>
  resource === EVERY_RESOURCE
    ? [EVERY_RESOURCE, ...Object.keys(outer ?? {}).filter((name) => !NAMED_ONLY.has(name))]
    : [resource];
