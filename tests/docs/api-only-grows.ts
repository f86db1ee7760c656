/** What a client of an older API description would miss in a newer one. Both come without references. */

type Schema = {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: Schema | boolean;
};
type Content = { content?: Record<string, { schema?: Schema }> };
type Parameter = { name: string; in: string; required?: boolean; schema: Schema };
type Operation = {
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
};
type Operations = Record<string, Record<string, Operation>>;
export type Description = { paths: Operations; webhooks?: Operations };
/** Clients write requests and read responses: what may be added to one is a break in the other. */
type Direction = "request" | "response";

export function breaksBetween(old: Description, now: Description): string[] {
  return [
    ...breaksOfOperations(old.paths, now.paths, { body: "request" }),
    ...breaksOfOperations(old.webhooks ?? {}, now.webhooks ?? {}, { body: "response" }),
  ];
}

function breaksOfOperations(old: Operations, now: Operations, { body }: { body: Direction }): string[] {
  const operations = Object.entries(old).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  return operations.flatMap(({ path, method, operation }) => {
    const where = `${method.toUpperCase()} ${path}`;
    const next = now[path]?.[method];
    if (!next) return [`${where} is gone`];
    const isRenamed = operation.operationId !== next.operationId;
    return [
      ...(isRenamed ? [`${where} was ${operation.operationId} and is ${next.operationId}`] : []),
      ...breaksOfParameters(operation.parameters ?? [], next.parameters ?? [], where),
      ...breaksOfSchema(schemaOf(operation.requestBody), schemaOf(next.requestBody), body, where),
      ...Object.entries(operation.responses)
        .filter(([status]) => status.startsWith("2"))
        .flatMap(([status, response]) =>
          breaksOfSchema(schemaOf(response), schemaOf(next.responses[status]), "response", `${where} ${status}`),
        ),
    ];
  });
}

const schemaOf = (part: Content | undefined): Schema => Object.values(part?.content ?? {})[0]?.schema ?? {};

function breaksOfParameters(old: readonly Parameter[], now: readonly Parameter[], where: string): string[] {
  const find = (list: readonly Parameter[], { name, in: place }: Parameter) =>
    list.find((one) => one.name.toLowerCase() === name.toLowerCase() && one.in === place);
  return [
    ...old.flatMap((parameter) => {
      const next = find(now, parameter);
      const inside = `${where} ?${parameter.name}`;
      return next ? breaksOfSchema(parameter.schema, next.schema, "request", inside) : [`${inside} is gone`];
    }),
    ...now
      .filter((parameter) => parameter.required && !find(old, parameter)?.required)
      .map(({ name }) => `${where} ?${name} is now mandatory`),
  ];
}

function breaksOfSchema(old: Schema, now: Schema, direction: Direction, where: string): string[] {
  return [
    ...breaksOfTypes(old, now, direction, where),
    ...breaksOfMembers(old, now, direction, where),
    ...(old.items && now.items ? breaksOfSchema(old.items, now.items, direction, `${where}[]`) : []),
    ...(typeof old.additionalProperties === "object" && typeof now.additionalProperties === "object"
      ? breaksOfSchema(old.additionalProperties, now.additionalProperties, direction, `${where}.*`)
      : []),
    ...breaksOfBranches(old, now, direction, where),
  ];
}

function breaksOfTypes(old: Schema, now: Schema, direction: Direction, where: string): string[] {
  const [before, after] = [typesOf(old), typesOf(now)];
  if (direction === "response") {
    const added = before.size > 0 ? [...after].filter((type) => !before.has(type)) : [];
    const isOpen = before.size > 0 && after.size === 0;
    return added.length > 0 || isOpen ? [`${where} may now be ${added.join(" or ") || "anything"}`] : [];
  }
  const refused = after.size > 0 ? [...before].filter((type) => !after.has(type)) : [];
  const values = now.enum ? (old.enum ?? ["any value"]).filter((value) => !now.enum?.includes(value)) : [];
  return [...refused, ...values].map((gone) => `${where} no longer takes ${gone}`);
}

/** Every whole number is a number. */
function typesOf({ type, anyOf }: Schema): Set<string> {
  const types = type === undefined ? (anyOf ?? []).flatMap((branch) => [...typesOf(branch)]) : [type].flat();
  return new Set(types.includes("number") ? [...types, "integer"] : types);
}

function breaksOfMembers(old: Schema, now: Schema, direction: Direction, where: string): string[] {
  const gone = Object.entries(old.properties ?? {}).flatMap(([name, member]) => {
    const next = now.properties?.[name];
    return next ? breaksOfSchema(member, next, direction, `${where}.${name}`) : [`${where}.${name} is gone`];
  });
  const [before, after] = [new Set(old.required), new Set(now.required)];
  const demanded = [...after].filter((name) => !before.has(name)).map((name) => `${where}.${name} is now mandatory`);
  const absent = [...before]
    .filter((name) => !after.has(name) && now.properties?.[name])
    .map((name) => `${where}.${name} may now be absent`);
  return [...gone, ...(direction === "request" ? demanded : absent)];
}

/** A request that an old branch takes must fit a new one; a response of a new branch must fit an old one. */
function breaksOfBranches(old: Schema, now: Schema, direction: Direction, where: string): string[] {
  if (!old.anyOf || !now.anyOf) return [];
  const [fitting, offered] = direction === "request" ? [old.anyOf, now.anyOf] : [now.anyOf, old.anyOf];
  const fits = (one: Schema, other: Schema) =>
    (direction === "request"
      ? breaksOfSchema(one, other, direction, where)
      : breaksOfSchema(other, one, direction, where)
    ).length === 0;
  const unfit = fitting.findIndex((one) => !offered.some((other) => fits(one, other)));
  return unfit === -1 ? [] : [`${where} has another form ${unfit + 1}`];
}
