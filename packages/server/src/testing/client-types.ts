/** Reads the type declarations of an API client, so that a test can check what TypeScript cannot: the answers of a running service. */

export type ClientType =
  | { kind: "object"; members: ReadonlyMap<string, { type: ClientType; isOptional: boolean }> }
  | { kind: "list"; items: ClientType }
  | { kind: "any of" | "all of"; types: readonly ClientType[] }
  | { kind: "literal"; value: string }
  | { kind: "name"; name: string };

export type ClientTypes = {
  /** By the name of an interface or type. */
  types: ReadonlyMap<string, ClientType>;
  /** By the name of an operation: the type of its body, if it has one, of its parameters, and of its answer. */
  operations: ReadonlyMap<string, { body?: ClientType; query?: ClientType; answer: ClientType }>;
};

/** The declarations are generated, so their form is regular. */
export function readClientTypes(declarations: string): ClientTypes {
  const text = declarations.replace(/\/\*[\s\S]*?\*\//g, "");
  const declared = text.matchAll(/^export (?:interface (\w+) (?=\{)|type (\w+) = )/gm);
  const types = new Map<string, ClientType>();
  for (const { 0: head, 1: named, 2: aliased, index } of declared)
    types.set(named ?? aliased ?? "", readType(tokensOf(text.slice(index + head.length))));
  const operations = new Map<string, { body?: ClientType; query?: ClientType; answer: ClientType }>();
  for (const { 0: head, 1: name = "", index } of text.matchAll(/^ {8}(\w+): (?=\()/gm)) {
    const tokens = tokensOf(text.slice(index + head.length));
    const { data: body, query } = readParameters(tokens);
    tokens.skip("=>", "Promise", "<", "HttpResponse", "<");
    operations.set(name, { ...(body && { body }), ...(query && { query }), answer: readType(tokens) });
  }
  return { types, operations };
}

type Tokens = { peek: () => string; take: () => string; skip: (...expected: string[]) => void };

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[\w$]+|=>|[{}()[\]<>|&;:?,])/y;

function tokensOf(text: string): Tokens {
  let at = 0;
  const read = (): { token: string; end: number } => {
    TOKEN.lastIndex = at;
    const [whole = "", token = ""] = TOKEN.exec(text) ?? [];
    if (token === "") throw new Error(`the client's types have another form: ${text.slice(at, at + 80)}`);
    return { token, end: at + whole.length };
  };
  const take = (): string => {
    const { token, end } = read();
    at = end;
    return token;
  };
  const skip = (...expected: string[]): void => {
    for (const one of expected) {
      const found = take();
      if (found !== one) throw new Error(`the client's types have ${found} in place of ${one}`);
    }
  };
  return { peek: () => read().token, take, skip };
}

function readParameters(tokens: Tokens): Record<string, ClientType> {
  const parameters: Record<string, ClientType> = {};
  tokens.skip("(");
  while (tokens.peek() !== ")") {
    const name = tokens.take();
    if (tokens.peek() === "?") tokens.take();
    tokens.skip(":");
    parameters[name] = readType(tokens);
    if (tokens.peek() === ",") tokens.take();
  }
  tokens.skip(")");
  return parameters;
}

const readType = (tokens: Tokens): ClientType =>
  readSeveral(tokens, "|", "any of", () => readSeveral(tokens, "&", "all of", () => readOne(tokens)));

function readSeveral(tokens: Tokens, separator: string, kind: "any of" | "all of", read: () => ClientType): ClientType {
  if (tokens.peek() === separator) tokens.take();
  const first = read();
  const types = [first];
  while (tokens.peek() === separator) {
    tokens.take();
    types.push(read());
  }
  return types.length === 1 ? first : { kind, types };
}

function readOne(tokens: Tokens): ClientType {
  let type = readPrimary(tokens);
  while (tokens.peek() === "[") {
    tokens.skip("[", "]");
    type = { kind: "list", items: type };
  }
  return type;
}

function readPrimary(tokens: Tokens): ClientType {
  const token = tokens.take();
  if (token === "{") return readObject(tokens);
  if (token.startsWith('"')) return { kind: "literal", value: JSON.parse(token) };
  if (token === "(") {
    const inside = readType(tokens);
    tokens.skip(")");
    return inside;
  }
  if (tokens.peek() === "<") skipArguments(tokens);
  return { kind: "name", name: token };
}

function skipArguments(tokens: Tokens): void {
  let depth = 0;
  do {
    const token = tokens.take();
    if (token === "<") depth++;
    if (token === ">") depth--;
  } while (depth > 0);
}

function readObject(tokens: Tokens): ClientType {
  const members = new Map<string, { type: ClientType; isOptional: boolean }>();
  while (tokens.peek() !== "}") {
    const name = tokens.take();
    // `[key: string]: any` allows every other name.
    if (name === "[") tokens.skip("key", ":", "string", "]");
    const isOptional = tokens.peek() === "?";
    if (isOptional) tokens.take();
    tokens.skip(":");
    const type = readType(tokens);
    tokens.skip(";");
    if (name !== "[") members.set(name.replaceAll('"', ""), { type, isOptional });
  }
  tokens.skip("}");
  return { kind: "object", members };
}

/** Whether a value is of a type that has no declaration. */
const BUILT_IN: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  object: (value) => typeof value === "object" && value !== null,
  Record: (value) => typeof value === "object" && value !== null,
  any: () => true,
};

/** What a client that trusts its types would read wrongly, such as `CustomerObject.slug is missing`. */
export function faultsOf(value: unknown, type: ClientType, { types }: ClientTypes): string[] {
  const check = (value: unknown, type: ClientType, at: string): string[] => {
    const wrong = [`${at} is ${typeof value === "object" ? kindOf(value) : JSON.stringify(value)}`];
    switch (type.kind) {
      case "literal":
        return value === type.value ? [] : wrong;
      case "list":
        return Array.isArray(value) ? value.flatMap((item) => check(item, type.items, at)) : wrong;
      case "all of":
        return type.types.flatMap((one) => check(value, one, at));
      case "any of": {
        const [best] = type.types.map((one) => check(value, one, at)).sort((a, b) => a.length - b.length);
        return best && best.length > 0 && !type.types.some(isRecord(types)) ? wrong : (best ?? []);
      }
      case "name": {
        const declared = types.get(type.name);
        if (declared) return check(value, declared, declared.kind === "any of" ? at : type.name);
        const isOf = BUILT_IN[type.name];
        if (!isOf) throw new Error(`the client's type ${type.name} is not declared`);
        return isOf(value) ? [] : [`${at} is ${kindOf(value)}`];
      }
      case "object": {
        if (kindOf(value) !== "an object") return wrong;
        const members = value as Record<string, unknown>;
        return [...type.members].flatMap(([name, member]) => {
          const path = `${at}.${name}`;
          if (members[name] === undefined) return member.isOptional ? [] : [`${path} is missing`];
          return check(members[name], member.type, path);
        });
      }
    }
  };
  return [...new Set(check(value, type, "answer"))];
}

const isRecord =
  (types: ClientTypes["types"]) =>
  (type: ClientType): boolean =>
    type.kind === "object" ||
    type.kind === "all of" ||
    (type.kind === "name" && ["object", "all of"].includes(types.get(type.name)?.kind ?? ""));

const kindOf = (value: unknown): string =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "a list"
      : typeof value === "object"
        ? "an object"
        : `a ${typeof value}`;

/** The paths of the members that a client may send. */
export function membersOf(type: ClientType, { types }: ClientTypes): string[] {
  const list = (type: ClientType, at: string): string[] => {
    switch (type.kind) {
      case "object":
        return [...type.members].flatMap(([name, member]) => {
          const path = at === "" ? name : `${at}.${name}`;
          return [path, ...list(member.type, path)];
        });
      case "list":
        return list(type.items, at);
      case "any of":
      case "all of":
        return type.types.flatMap((one) => list(one, at));
      case "name": {
        const declared = types.get(type.name);
        return declared ? list(declared, at) : [];
      }
      case "literal":
        return [];
    }
  };
  return [...new Set(list(type, ""))];
}
