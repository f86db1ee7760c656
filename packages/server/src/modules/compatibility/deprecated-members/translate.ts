/** Walks through a request, an answer or a message, and applies the table to each object. */
import type { Read, Translation } from "../../../http/translations.ts";
import { parseExactJson, toExactJson } from "../../../platform/json-text.ts";
import { isObject, type Members, memberAt, withMember } from "./members.ts";
import { loadRates, type RateOf } from "./rates.ts";
import { DEPRECATED_MEMBERS, type DeprecatedMember, type ObjectName, PARTS } from "./table.ts";

const rowsOf = Map.groupBy(DEPRECATED_MEMBERS, ({ object }) => object);

/** Events named their customer once. The subscription names it now. */
const REMOVED_FROM_EVENTS = ["event.external_customer_id", "events.external_customer_id"];

function isRemoved([first = "", ...others]: readonly string[], name: ObjectName = "body"): boolean {
  const part = new Map(partsOf(name)).get(first);
  if (part && others.length > 0 && isRemoved(others, part)) return true;
  return (rowsOf.get(name) ?? []).some(({ deprecated }) => deprecated === [first, ...others].join("."));
}

export const deprecatedMembers: Translation = {
  names: DEPRECATED_MEMBERS.flatMap(({ deprecated }) => deprecated.split(".").slice(-1)),
  isRemoved: (path) => isRemoved(path) || REMOVED_FROM_EVENTS.includes(path.join(".")),
  ofRequest: (body, read) => take("body", body, read),
  ofAnswer: async (text, read) => {
    const body = parseExactJson(text);
    const rateOf = await loadRates(read, customersWithoutTaxes("body", body));
    const shown = show("body", body, rateOf);
    // A body without such members keeps its bytes.
    return shown === body ? text : toExactJson(shown);
  },
};

/** A copy with deprecated members, or the same object if it has none. */
function show(name: ObjectName, value: unknown, rateOf: RateOf): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => show(name, item, rateOf));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isObject(value)) return value;
  let shown = value;
  for (const [member, part] of partsOf(name)) {
    const inner = show(part, value[member], rateOf);
    if (inner !== value[member]) shown = { ...shown, [member]: inner };
  }
  for (const row of rowsOf.get(name) ?? []) {
    const member = memberOf(row, value, rateOf);
    if (member !== undefined) shown = withMember(shown, row.deprecated, member);
  }
  return shown;
}

function memberOf({ substitute, show }: DeprecatedMember, object: Members, rateOf: RateOf): unknown {
  const isMember = substitute !== null && !substitute.includes("[]");
  const value = isMember ? memberAt(object, substitute) : null;
  if (value === undefined) return undefined;
  return show ? show(value, object, { rateOf }) : value;
}

function customersWithoutTaxes(name: ObjectName, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => customersWithoutTaxes(name, item));
  if (!isObject(value)) return [];
  if (name === "customer" && value.taxes === undefined) return [String(value.svc_id)];
  return partsOf(name).flatMap(([member, part]) => customersWithoutTaxes(part, value[member]));
}

/** Converts to current members. If a request has both, the current member wins. */
async function take(name: ObjectName, value: unknown, read: Read): Promise<unknown> {
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) items.push(await take(name, item, read));
    return items;
  }
  if (!isObject(value)) return value;
  const taken = { ...value };
  for (const [member, part] of partsOf(name))
    if (value[member] !== undefined) taken[member] = await take(part, value[member], read);
  for (const row of rowsOf.get(name) ?? []) {
    const input = row.take && memberAt(value, row.deprecated);
    if (!row.take || input === undefined) continue;
    const { as, say } = row.take;
    if (as !== null && value[as] !== undefined) continue;
    const said = await say(input, value, read);
    if (as !== null && said !== undefined) taken[as] = said;
  }
  return taken;
}

const partsOf = (name: ObjectName) => Object.entries(PARTS[name]) as [string, ObjectName][];
