/** The members of every request, from its documented schema, so that new routes are tested without a new test. */
import type { FastifyInstance } from "fastify";
import { expect } from "vitest";
import { listApiRoutes, type Route } from "./list-routes.ts";
import { resolveRefs } from "./resolve-refs.ts";
import { SAMPLES, type Sample, toPath } from "./sample-requests.ts";
import type { Answer, Call } from "./start-tallystick.ts";

type Path = readonly (string | number)[];
export type Field = {
  path: Path;
  /** The innermost member, which a refusal names. */
  name: string;
  isText: boolean;
  /** The schema accepts any text up to a length. */
  isFree: boolean;
  /** Equal for fields with the same rules. */
  kind: string;
};
export type DocumentedRoute = Route & { name: string; sample: Sample; fields: Field[]; statuses: readonly string[] };

type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  maxLength?: number;
};

export async function documentRoutes(app: FastifyInstance): Promise<DocumentedRoute[]> {
  const { paths } = resolveRefs((await app.inject("/openapi.json")).json());
  return listApiRoutes(app).map((route) => {
    const name = `${route.method} ${route.path}`;
    const operation = paths[`/api/v1${route.path.replace(/:(\w+)/g, "{$1}")}`]?.[route.method.toLowerCase()];
    const sample = SAMPLES[name];
    if (!operation || !sample) throw new Error(`${name} is not documented, or not in testing/sample-requests.ts`);
    const body = operation.requestBody?.content["application/json"].schema;
    const statuses = Object.keys(operation.responses);
    return { ...route, name, sample, fields: body ? fieldsOf(body) : [], statuses };
  });
}

/** Every leaf member, down to the first item of lists. */
function fieldsOf(schema: Schema, path: Path = []): Field[] {
  const types = [schema.type ?? []].flat();
  if (types.includes("object"))
    return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => fieldsOf(member, [...path, name]));
  if (types.includes("array") && schema.items) return fieldsOf(schema.items, [...path, 0]);
  const name = String(path.findLast((part) => typeof part === "string"));
  const isText = types.includes("string");
  const { enum: values, format, pattern, maxLength } = schema;
  const kind = JSON.stringify({ types, values, format, pattern, maxLength });
  const isFree = isText && !values && !format && !pattern?.startsWith("^");
  return [{ path, name, isText, isFree, kind }];
}

/** The body with a value at a path. Missing parents are created. */
export function put(target: unknown, [first, ...rest]: Path, value: unknown): unknown {
  if (first === undefined) return value;
  if (typeof first === "number") {
    const list = Array.isArray(target) ? [...target] : [];
    list[first] = put(list[first], rest, value);
    return list;
  }
  const members = (target ?? {}) as Record<string, unknown>;
  return { ...members, [first]: put(members[first], rest, value) };
}

export const at = (target: unknown, path: Path): unknown =>
  path.reduce((value, part) => (value as Record<string | number, unknown> | null | undefined)?.[part], target);

/** Where the record shows the value of a path. */
export const shownPath = ({ sample }: DocumentedRoute, path: Path): Path =>
  path.flatMap((part) => sample.shownAs?.[part] ?? part);

const ERROR = /^[A-Z][A-Za-z ]+$|^BadRequest: param is missing or the value is empty: \w+$/;
const CODE = /^[a-z_]+$/;
/** What only the source or the database would say. */
const INTERNAL = /node_modules|\.ts\b|must match|must be|undefined|relation "|column "/;

/** Expects success, or a refusal in the documented form that reveals no internals. */
export function expectHarmless(answer: Answer, route: DocumentedRoute, input: unknown): void {
  if (isHarmless(answer, route, String(input))) return;
  expect.fail(`${route.name} answers ${answer.text.slice(0, 500)} to ${JSON.stringify(input).slice(0, 200)}`);
}

function isHarmless({ status, body, help }: Answer, { statuses }: DocumentedRoute, input: string): boolean {
  const isDescribed = statuses.includes(String(status)) || (status >= 400 && statuses.includes("default"));
  if (!isDescribed || status >= 500) return false;
  if (status === 200) return true;
  const { error, code = "no_code", error_details, ...rest } = body;
  const { message, request_id, docs_url, errors = [] } = help;
  const codes = [code, ...Object.values(fieldsIn(error_details)).flat()];
  const messages: string[] = [
    message,
    request_id,
    docs_url,
    ...errors.map(({ message }: { message: string }) => message),
  ];
  return (
    Object.keys(rest).join() === "status" &&
    ERROR.test(error) &&
    codes.every((each) => CODE.test(each)) &&
    messages.every((each) => each.length > 0 && !INTERNAL.test(each.replaceAll(decoded(input), "")))
  );
}

/** A message names an unknown parameter as it was sent. */
const decoded = (input: string): string => {
  try {
    return decodeURIComponent(input);
  } catch {
    return input;
  }
};

type ErrorDetails = Readonly<Record<string, readonly string[] | Record<string, readonly string[]>>>;

/** The codes of each field. If an answer has an index for each item, merges all items. */
const fieldsIn = (details: ErrorDetails = {}): Record<string, readonly string[]> =>
  Object.fromEntries(
    Object.entries(details).flatMap(([name, codes]) =>
      Array.isArray(codes) ? [[name, codes]] : Object.entries(codes),
    ),
  );

export type Accepted = { fields: readonly Field[]; answer: Answer };

/**
 * Puts a JSON value into all fields at once. Leaves out the fields that are refused by name in the next attempt, until the rest is
 * accepted or nothing is left.
 */
export async function tryInAll(
  route: DocumentedRoute,
  fields: readonly Field[],
  literal: string,
  { call, mark }: { call: Call; mark: string },
): Promise<Accepted | undefined> {
  const parameters = (await route.sample.given?.(call, mark)) ?? {};
  let left = fields;
  while (left.length > 0) {
    const body = left.reduce(
      (made, { path }) => put(made, path, PLACE),
      route.sample.body?.(mark, parameters) as unknown,
    );
    const raw = JSON.stringify(body).replaceAll(JSON.stringify(PLACE), () => literal);
    const answer = await call(route.method as "POST", toPath(route.path, parameters), undefined, { raw });
    expectHarmless(answer, route, literal);
    if (answer.status === 200) return { fields: left, answer };
    const refused = Object.keys(fieldsIn(answer.body.error_details));
    // Refused as a whole: amounts that are valid alone do not fit together.
    if (refused.includes("base")) return undefined;
    // By its own name, or by the name of its list or object. The envelope of keys has the name of a permission.
    const inside = (path: Path) => (path.length > 1 ? path.slice(1) : path);
    const rest = left.filter(({ path }) => !inside(path).some((part) => refused.includes(String(part))));
    if (rest.length === left.length) expect.fail(`${answer.text} names none of ${left.map(({ name }) => name)}`);
    left = rest;
  }
  return undefined;
}

const PLACE = "@ here @";

/** Calls `work` for each item, a few at a time. */
export async function inLanes<T>(items: readonly T[], count: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const lane = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: count }, lane));
}
