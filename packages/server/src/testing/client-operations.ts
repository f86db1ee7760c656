/** What the published client of another service can ask for, and what of it this service takes. */
import { type ClientTypes, membersOf } from "./client-types.ts";

export type ClientOperation = {
  /** Such as `taxes.createTax`. */
  operation: string;
  name: string;
  method: string;
  /** Below /api/v1, with these in place of parameters. */
  path: string;
};

type Group = Record<string, (...args: unknown[]) => Promise<{ data: unknown }>>;

/** Its other members are no objects of functions, or functions by media type. */
export const groupsOf = (client: object): [string, Group][] =>
  Object.entries(client).filter(([, group]) => {
    const members = Object.entries(typeof group === "object" && group !== null ? group : {});
    return members.length > 0 && members.every(([name, one]) => /^\w+$/.test(name) && typeof one === "function");
  });

const ARGUMENTS = ["A", "B", "C", "D"];

/** Calls every operation of a client that sends nothing: `make` gets what to do instead of sending. */
export async function listOperations(make: (send: typeof fetch) => object): Promise<ClientOperation[]> {
  let wanted = { method: "", path: "" };
  const silent = make(async (input, init) => {
    wanted = { method: init?.method ?? "", path: String(input).split("?")[0] ?? "" };
    return new Response("{}");
  });
  const operations: ClientOperation[] = [];
  for (const [group, members] of groupsOf(silent))
    for (const [name, ask] of Object.entries(members)) {
      await ask(...ARGUMENTS);
      operations.push({ operation: `${group}.${name}`, name, ...wanted });
    }
  return operations;
}

type Schema = { $ref?: string; properties?: Record<string, Schema>; items?: Schema; anyOf?: Schema[] };
type Parameter = { $ref?: string; name: string };
type Described = { parameters?: Parameter[]; requestBody?: { content: Record<string, { schema: Schema }> } };
export type Description = { paths: Record<string, Record<string, Described>> };

/** undefined: this service has no such route. */
export function describedAs({ paths }: Description, { method, path }: ClientOperation): Described | undefined {
  const wanted = path.split("/");
  const found = Object.entries(paths).find(([described, methods]) => {
    const steps = described.replace("/api/v1", "").split("/");
    const isSame = (step: string, index: number) =>
      step.startsWith("{") ? ARGUMENTS.includes(wanted[index] ?? "") : step === wanted[index];
    return methods[method.toLowerCase()] && steps.length === wanted.length && steps.every(isSame);
  });
  return found?.[1][method.toLowerCase()];
}

/** The members and parameters (`?page`) that the client can send and this service does not take, without what is inside of them. */
export function notTaken(description: Description, operation: ClientOperation, types: ClientTypes): string[] {
  const described = describedAs(description, operation);
  const { body, query } = types.operations.get(operation.name) ?? {};
  const taken = Object.values(described?.requestBody?.content ?? {}).flatMap(({ schema }) =>
    takenBy(description, schema),
  );
  const isTaken = (member: string): boolean =>
    taken.some((one) => one === member || (one.endsWith(".*") && member.startsWith(one.slice(0, -1))));
  const missing = (body ? membersOf(body, types) : []).filter((member) => !isTaken(member));
  const parameters = (described?.parameters ?? []).map((one) => resolve(description, one).name);
  const unknown = (query ? membersOf(query, types) : []).filter((name) => !parameters.includes(name.replace("[]", "")));
  return [
    ...missing.filter((member) => !missing.includes(member.split(".").slice(0, -1).join("."))),
    ...unknown.map((name) => `?${name}`),
  ];
}

/** By path; `x.*` if anything is taken below x. */
function takenBy(description: Description, schema: Schema, at = ""): string[] {
  const { properties, items, anyOf } = resolve(description, schema);
  if (anyOf) return anyOf.flatMap((one) => takenBy(description, one, at));
  if (items) return takenBy(description, items, at);
  if (!properties) return [`${at}.*`];
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = at === "" ? name : `${at}.${name}`;
    return [path, ...takenBy(description, member, path)];
  });
}

function resolve<T extends { $ref?: string }>(description: Description, schema: T): T {
  if (schema.$ref === undefined) return schema;
  const steps = schema.$ref.slice(2).split("/");
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], description) as T;
}
