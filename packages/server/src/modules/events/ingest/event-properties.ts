/**
 * The properties of an event, read from the text of the request: in the form that is stored and shown, and in the form that is compared.
 */
import { canonicalText } from "@tallystick/core/usage";
import { endOfValue, OPEN_LIST, OPEN_OBJECT, QUOTE, readText, walkMembers } from "./json-slices.ts";

export type EventProperties = {
  /** The JSON to store and to show: numbers in plain decimals; of duplicate names, the last. */
  json: string;
  /** JSON of name → canonical text for values whose canonical text is not in `json`: objects and lists. Null if there are none. */
  canonicalJson: string | null;
  /** Each name followed by its canonical text, in the order of the names; null values are absent. */
  canonical: readonly string[];
};

export const NO_PROPERTIES: EventProperties = { json: "{}", canonicalJson: null, canonical: [] };

/** Far more than usage needs, and far less than a body may hold: an invoice can be computed from millions of events. */
const LENGTH_MAX = 65_536;

/** A decimal in canonical form: no exponent, no unnecessary zero. */
const PLAIN_DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/;
const PLAIN_LENGTH_MAX = 1000;

type Member = {
  name: string;
  /** The value as it is stored. */
  json: string;
  /** Null if the property is absent. */
  canonical: string | null;
  isNested: boolean;
  isAsSent: boolean;
};

/** Reads the object that begins at `at`, and returns where it ends. Undefined if the object or one of its numbers is too long. */
export function readProperties(text: string, at: number): { properties: EventProperties | undefined; end: number } {
  const members: Member[] = [];
  let isAsSent = true;
  let isFine = true;
  const end = walkMembers(text, at, (name, valueAt) => {
    const valueEnd = endOfValue(text, valueAt);
    const member = readMember(name, text, valueAt, valueEnd);
    if (member) members.push(member);
    if (!member?.isAsSent) isAsSent = false;
    isFine &&= member !== undefined;
    return valueEnd;
  });
  if (!isFine) return { properties: undefined, end };
  const sorted = sortByName(members);
  const json = isAsSent && sorted.length === members.length ? text.slice(at, end) : writeJson(sorted);
  if (json.length > LENGTH_MAX) return { properties: undefined, end };
  return { properties: { json, canonicalJson: canonicalOf(sorted), canonical: pairsOf(sorted) }, end };
}

function readMember(name: string, text: string, at: number, end: number): Member | undefined {
  const json = text.slice(at, end);
  const first = json.charCodeAt(0);
  if (first === QUOTE) return { name, json, canonical: readText(json), isNested: false, isAsSent: true };
  if (json === "null") return { name, json, canonical: null, isNested: false, isAsSent: true };
  const isNested = first === OPEN_OBJECT || first === OPEN_LIST;
  if (!isNested && (json === "true" || json === "false" || isPlainDecimal(json)))
    return { name, json, canonical: json, isNested, isAsSent: true };
  const canonical = canonicalText(json);
  if (!canonical.ok || canonical.value === null) return undefined;
  const { value } = canonical;
  return { name, json: value, canonical: value, isNested, isAsSent: value === json };
}

const isPlainDecimal = (json: string): boolean =>
  json.length <= PLAIN_LENGTH_MAX && PLAIN_DECIMAL.test(json) && json !== "-0";

/** Each name once, with its last value. */
function sortByName(members: Member[]): readonly Member[] {
  let isSorted = true;
  for (let index = 1; index < members.length; index++)
    if (!isBefore(members[index - 1], members[index])) isSorted = false;
  if (isSorted) return members;
  members.sort((one, other) => (isBefore(one, other) ? -1 : Number(isBefore(other, one))));
  return members.filter((member, index) => member.name !== members[index + 1]?.name);
}

const isBefore = (one: Member | undefined, other: Member | undefined): boolean =>
  (one?.name ?? "") < (other?.name ?? "");

function pairsOf(members: readonly Member[]): string[] {
  const pairs: string[] = [];
  for (const { name, canonical } of members) if (canonical !== null) pairs.push(name, canonical);
  return pairs;
}

function canonicalOf(members: readonly Member[]): string | null {
  if (!members.some(({ isNested }) => isNested)) return null;
  const nested = members.filter(({ isNested }) => isNested);
  return `{${nested.map(({ name, canonical }) => `${JSON.stringify(name)}:${JSON.stringify(canonical)}`)}}`;
}

const writeJson = (members: readonly Member[]): string =>
  `{${members.map(({ name, json }) => `${JSON.stringify(name)}:${json}`)}}`;
