/** Which members a request may have, derived from the schemas of its operation, and which members of a request are none of them. */
import { FAULTS_MAX } from "./problem.ts";

/** `members` null: any member is allowed here. */
export type Known = { readonly members: ReadonlyMap<string, Known> | null; readonly items: Known | null };

/** From the body: names of members, and indexes of lists. */
export type Path = readonly (string | number)[];

type Schema = {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: unknown;
  "x-described"?: Schema;
};

const ANYTHING: Known = { members: null, items: null };

export function knownMembers(schema: unknown): Known {
  const { "x-described": described, anyOf, properties, items, additionalProperties } = (schema ?? {}) as Schema;
  if (described) return knownMembers(described);
  if (anyOf)
    return anyOf
      .filter((one) => one.properties || one.items || one.anyOf)
      .map(knownMembers)
      .reduce(both, NONE);
  const isOpen = !properties || additionalProperties === true;
  return {
    members: isOpen ? null : new Map(Object.entries(properties).map(([name, member]) => [name, knownMembers(member)])),
    items: items ? knownMembers(items) : null,
  };
}

const NONE: Known = { members: new Map(), items: null };

/** What either of them knows. */
function both(one: Known, other: Known): Known {
  if (one === NONE) return other;
  const items = one.items && other.items ? both(one.items, other.items) : (one.items ?? other.items);
  if (one.members === null || other.members === null) return { members: null, items };
  return { members: union(one.members, other.members, both), items };
}

/**
 * A client may send back what it has read: members of the response are known too, at the places that the request has. They change nothing,
 * so whatever is inside them is allowed.
 */
export function withMembersOf(response: Known, request: Known): Known {
  const items = request.items && (response.items ? withMembersOf(response.items, request.items) : request.items);
  if (request.members === null || response.members === null) return { members: request.members, items };
  const shown = new Map([...response.members.keys()].map((name) => [name, ANYTHING]));
  for (const [name, known] of request.members) {
    const inResponse = response.members.get(name);
    shown.set(name, inResponse ? withMembersOf(inResponse, known) : known);
  }
  return { members: shown, items };
}

function union(
  one: ReadonlyMap<string, Known>,
  other: ReadonlyMap<string, Known>,
  merge: (one: Known, other: Known) => Known,
): Map<string, Known> {
  const all = new Map(one);
  for (const [name, known] of other) {
    const own = all.get(name);
    all.set(name, own ? merge(own, known) : known);
  }
  return all;
}

/** The paths of the members that are not known. */
export function findUnknown(body: unknown, known: Known): Path[] {
  const found: Path[] = [];
  const visit = (value: unknown, { members, items }: Known, path: Path): void => {
    if (found.length >= FAULTS_MAX || typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) {
      if (items) for (const [index, item] of value.entries()) visit(item, items, [...path, index]);
      return;
    }
    if (members === null) return;
    for (const [name, member] of Object.entries(value)) {
      const inside = members.get(name);
      if (inside) visit(member, inside, [...path, name]);
      else if (found.length < FAULTS_MAX) found.push([...path, name]);
    }
  };
  visit(body, known, []);
  return found;
}

/** `plan.charges[1].propertees` */
export const pathText = (path: Path): string =>
  path.map((step, index) => (typeof step === "number" ? `[${step}]` : `${index === 0 ? "" : "."}${step}`)).join("");

/** The names that are known where the last step of a path is. */
export function namesBeside(path: readonly string[], known: Known): Iterable<string> {
  let at: Known | null | undefined = known;
  for (const step of path.slice(0, -1)) at = /^\d+$/.test(step) ? at?.items : at?.members?.get(step);
  return at?.members?.keys() ?? [];
}
