/** What is asked: requests that are valid, have one member wrong, are about the other organization, or are wild. */
import { SAMPLES } from "../../packages/server/src/testing/sample-requests.ts";
import type { Call } from "../../packages/server/src/testing/start-tallystick.ts";
import type { Operation } from "./document.ts";
import {
  chance,
  fittingValue,
  isName,
  type Place,
  pick,
  type Random,
  type Schema,
  unfittingValue,
  wholeUpTo,
  wildValue,
} from "./values.ts";
import { knownName, singular, type Tenant } from "./world.ts";

export type Kind = "valid" | "wrong" | "foreign" | "wild";

export type Requested = {
  operation: Operation;
  kind: Kind;
  /** Below /api/v1. */
  url: string;
  headers: Readonly<Record<string, string>>;
  payload: string | Buffer | undefined;
  /** The one member that is wrong by the description, and what may be inside of it. */
  wrongAt?: Place;
  wrongWithin?: ReadonlySet<string>;
  /** The path names a record by an id that the service gave to the other organization. */
  isOfOther?: boolean;
};

export type Asking = {
  random: Random;
  tenant: Tenant;
  other: Tenant;
  /** The names of what samples make. Both organizations use the same ones. */
  mark: string;
  /** One that was not used before. */
  newMark: () => string;
  /** Makes what a sample needs. */
  call: Call;
  deliver: (objectId?: string) => Promise<void>;
};

type Named = Record<string, string>;

const KINDS: readonly Kind[] = [
  "valid",
  "valid",
  "valid",
  "valid",
  "wrong",
  "wrong",
  "wrong",
  "foreign",
  "wild",
  "wild",
];

export async function nextRequest(operations: readonly Operation[], among: Asking): Promise<Requested> {
  const { random } = among;
  const chosen = pick(random, KINDS);
  // Only a body has members that can be wrong: queries are read leniently.
  const operation = pick(random, chosen === "wrong" ? operations.filter(({ body }) => body) : operations);
  // Wrong in one member means right in all others: its records are new, so that nothing else is a reason to refuse it.
  const asking = chosen === "wrong" ? { ...among, mark: among.newMark() } : among;
  const prepared = await prepare(operation, chosen, asking);
  const kind = chosen === "wrong" && !prepared ? "valid" : chosen;
  const named = prepared ?? {};
  const { path, isOfOther } = fillPath(operation, kind, named, asking);
  const url = path + queryOf(operation, kind, asking);
  const common = { operation, kind, url, headers: headersOf(operation, asking), isOfOther };
  if (kind === "wild") return { ...common, ...wildPayload(operation, named, asking) };
  const body = bodyOf(operation, kind, named, asking);
  if (kind === "wrong" && body !== undefined && operation.body) {
    const wrong = withOneWrong(operation, body, random);
    if (wrong)
      return { ...common, payload: JSON.stringify(wrong.body), wrongAt: wrong.place, wrongWithin: wrong.within };
  }
  return {
    ...common,
    kind: kind === "wrong" ? "valid" : kind,
    payload: body === undefined ? undefined : JSON.stringify(body),
  };
}

/** Now and then records of its own, else those that are there. Undefined where they could not be made. */
async function prepare(
  { name }: Operation,
  kind: Kind,
  { random, call, mark, deliver }: Asking,
): Promise<Named | undefined> {
  const given = SAMPLES[name]?.given;
  if (!given || !(kind === "wrong" || chance(random, 0.35))) return {};
  try {
    return await given(call, mark, deliver);
  } catch {
    // What a sample needs may be refused where other requests have changed the organization: its answers have been looked at.
    return undefined;
  }
}

function fillPath({ path }: Operation, kind: Kind, named: Named, asking: Asking): { path: string; isOfOther: boolean } {
  const { random, tenant, other } = asking;
  const segments = path.split("/");
  let isOfOther = false;
  const filled = segments.map((segment, index) => {
    const member = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (member === undefined) return segment;
    if (kind === "wild" && chance(random, 0.5)) return encodeLoosely(String(wildValue(random, 9)));
    const place = [singular(segments[index - 1] ?? ""), member];
    const foreign = kind === "foreign" ? knownName(other, random, place) : undefined;
    if (foreign !== undefined && member === "svc_id" && other.published.has(foreign) && !tenant.published.has(foreign))
      isOfOther = true;
    const value =
      foreign ?? named[member] ?? knownName(tenant, random, place) ?? knownName(other, random, place) ?? "none";
    return encodeURIComponent(value) || "none";
  });
  return { path: filled.join("/"), isOfOther };
}

/** A lone surrogate has no encoding; the server must live with what is no UTF-8. */
const encodeLoosely = (text: string): string => (text.isWellFormed() ? encodeURIComponent(text) : "%ed%a0%80") || "%20";

function queryOf({ name, query }: Operation, kind: Kind, asking: Asking): string {
  const { random, tenant, other } = asking;
  const isNeeded = SAMPLES[name]?.query !== undefined;
  const chosen = query.filter((parameter) =>
    chance(random, isNeeded && parameter.name.startsWith("external") ? 0.9 : 0.2),
  );
  if (chosen.length === 0) return "";
  const owner = kind === "foreign" ? other : tenant;
  const known = (place: Place) => knownName(owner, random, place);
  const pairs = chosen.map(({ name: parameter, schema }) => {
    const place = ["", parameter.replace("[]", "")];
    const value =
      kind === "wild" ? wildValue(random, 9) : fittingValue(schema, random, { known, mark: tenant.secret, place });
    return `${encodeURIComponent(parameter)}=${encodeLoosely(String(value))}`;
  });
  return `?${pairs.join("&")}`;
}

function headersOf({ takesIdempotencyKey }: Operation, { random, mark }: Asking): Record<string, string> {
  if (!takesIdempotencyKey || !chance(random, 0.2)) return {};
  return { "idempotency-key": `${mark} ${wholeUpTo(random, 1e9)}` };
}

/** The sample, with members that are left out or hold other values; or, for a part, what the schema alone says. */
function bodyOf({ name, body }: Operation, kind: Kind, named: Named, asking: Asking): unknown {
  if (!body) return undefined;
  const { random, tenant, other, mark } = asking;
  const owner = kind === "foreign" ? other : tenant;
  const known = (place: Place) => knownName(owner, random, place);
  const given = { known, mark: tenant.secret, place: [] };
  const sample = SAMPLES[name]?.body;
  if (!sample || (kind !== "wrong" && chance(random, 0.25))) return fittingValue(body, random, given);
  const own = sample(mark, Object.keys(named).length > 0 ? named : namesFor(asking));
  return vary(JSON.parse(JSON.stringify(own)), body, kind === "wrong" ? 0 : 0.12, {
    random,
    tenant,
    owner,
    place: [],
  });
}

/** What the sample of another request would have been given. */
const namesFor = ({ random, tenant }: Asking): Named => {
  const first = (key: string) => knownName(tenant, random, key.split(".")) ?? "";
  return {
    invoice_id: first("invoice.svc_id"),
    fee_id: first("fee.svc_id"),
    svc_id: first("wallet.svc_id"),
    metric_id: first("billable_metric.svc_id"),
    code: first("plan.code"),
    charge_id: first("charge.svc_id"),
    external_id: first("subscription.external_id"),
    metric_code: first("billable_metric.code"),
  };
};

type Variation = { random: Random; tenant: Tenant; owner: Tenant; place: Place };

function vary(value: unknown, schema: Schema, share: number, variation: Variation): unknown {
  const { random, tenant, owner, place } = variation;
  if (Array.isArray(value)) return value.map((item) => vary(item, schema.items ?? {}, share, variation));
  if (typeof value === "object" && value !== null && schema.properties) {
    const kept = Object.entries(value).filter(([name]) => schema.required?.includes(name) || !chance(random, share));
    return Object.fromEntries(
      kept.map(([name, member]) => [
        name,
        vary(member, schema.properties?.[name] ?? {}, share, { ...variation, place: [...place, name] }),
      ]),
    );
  }
  const known = (at: Place) => knownName(owner, random, at);
  // The other organization's names come into every body that is about it.
  const isForeign = owner !== tenant && isName(place) && typeof value === "string" && chance(random, 0.5);
  if (isForeign) return known(place) ?? value;
  if (
    typeof value === "string" &&
    !isName(place) &&
    !schema.enum &&
    !schema.format &&
    /name|description|legal|address|city|reason/.test(place.at(-1) ?? "")
  )
    return schema.maxLength !== undefined && schema.maxLength < 100 ? value : `${tenant.secret} ${value}`;
  if (!chance(random, share) || Object.keys(schema).length === 0) return value;
  return fittingValue(schema, random, { known, mark: tenant.secret, place });
}

/** One member somewhere in the body that the description does not allow; undefined where none was found. */
function withOneWrong({ name, body: schema, isDescribed }: Operation, body: unknown, random: Random) {
  if (!schema || !isDescribed(body)) return undefined;
  // What only a record of another kind has is taken and not looked at, by the sample's own word.
  const ignored = SAMPLES[name]?.ignored ?? [];
  const absent = absentIn(body, schema, []).filter(({ path }) => !ignored.includes(String(path.at(-1))));
  const present = placesIn(body, schema, []);
  const places = absent.length > 0 && chance(random, 0.3) ? absent : present;
  for (let attempt = 0; attempt < 10 && places.length > 0; attempt++) {
    const { path, schema: own } = pick(random, places);
    const wrong = chance(random, 0.15)
      ? replaced(body, path, undefined)
      : replaced(body, path, unfittingValue(own, random));
    const text = JSON.stringify(wrong);
    if (text !== undefined && !isDescribed(JSON.parse(text)))
      return {
        body: wrong,
        place: path.filter((segment): segment is string => typeof segment === "string"),
        within: new Set(membersOf(own)),
      };
  }
  return undefined;
}

const membersOf = ({ properties = {}, items, anyOf = [] }: Schema): string[] => [
  ...Object.entries(properties).flatMap(([name, member]) => [name, ...membersOf(member)]),
  ...(items ? membersOf(items) : []),
  ...anyOf.flatMap(membersOf),
];

type Path = readonly (string | number)[];

function placesIn(value: unknown, schema: Schema, path: Path): { path: Path; schema: Schema }[] {
  const here = path.length === 0 ? [] : [{ path, schema }];
  if (Array.isArray(value))
    return [...here, ...value.flatMap((item, index) => placesIn(item, schema.items ?? {}, [...path, index]))];
  if (typeof value !== "object" || value === null) return here;
  const members = Object.entries(value).filter(([name]) => schema.properties?.[name] !== undefined);
  return [
    ...here,
    ...members.flatMap(([name, member]) => placesIn(member, schema.properties?.[name] ?? {}, [...path, name])),
  ];
}

/** Members that the description knows and the body does not have. */
function absentIn(value: unknown, schema: Schema, path: Path): { path: Path; schema: Schema }[] {
  return placesIn(value, schema, path).flatMap(({ path: at, schema: { properties = {} } }) => {
    const owner = at.reduce<unknown>((inner, name) => (inner as Record<string | number, unknown>)[name], value);
    if (typeof owner !== "object" || owner === null) return [];
    const names = Object.keys(properties).filter((name) => !(name in owner));
    return names.map((name) => ({ path: [...at, name], schema: properties[name] ?? {} }));
  });
}

/** A copy with another value there; undefined takes it out. */
function replaced(value: unknown, [first, ...rest]: Path, by: unknown): unknown {
  if (first === undefined) return by;
  const inner = replaced((value as Record<string | number, unknown>)[first], rest, by);
  if (Array.isArray(value)) return value.map((item, index) => (index === first ? inner : item));
  return { ...(value as object), [first]: inner };
}

const NOT_JSON: readonly (string | Buffer)[] = [
  "",
  "{",
  "null",
  "[]",
  "17",
  '"text"',
  '{"a":1,"a":2}',
  '{"__proto__":{"a":1}}',
  '{"customer":{"external_id":"a","__proto__":{"b":1}}}',
  '{"event":{"timestamp":1e400}}',
  '{"a":"\\ud800"}',
  "[".repeat(100_000),
  Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
  Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]),
];

function wildPayload(operation: Operation, named: Named, asking: Asking): Pick<Requested, "payload" | "headers"> {
  const { random } = asking;
  const headers = headersOf(operation, asking);
  const choice = random();
  if (choice < 0.1) return { headers, payload: pick(random, NOT_JSON) };
  if (choice < 0.15) return { headers: { ...headers, "content-type": pick(random, TYPES) }, payload: "{}" };
  if (choice < 0.2)
    return { headers: { ...headers, "idempotency-key": pick(random, ["", " ", "x".repeat(300), "é"]) }, payload: "{}" };
  const body = bodyOf(operation, "valid", named, asking);
  if (body === undefined)
    return { headers, payload: chance(random, 0.7) ? undefined : JSON.stringify(wildValue(random)) };
  const places = placesIn(body, operation.body ?? {}, []);
  let wild: unknown = body;
  for (let times = wholeUpTo(random, 3); times >= 0 && places.length > 0; times--) {
    const { path } = pick(random, places);
    try {
      wild = replaced(wild, path, wildValue(random));
    } catch {
      // An earlier change took away what stood around it.
    }
  }
  return { headers, payload: JSON.stringify(wild) };
}

const TYPES = [
  "text/plain",
  "application/xml",
  "application/json; charset=utf-16",
  "multipart/form-data",
  "a",
  "application/x-www-form-urlencoded",
];
