/**
 * JSON from outside and with amounts of any size.
 *
 * `JSON.parse` of V8 14 can read a name that contains an escape as another name that it has read before: `{"\"":1}` as `{"\\":1}`. One caller
 * could change what a name of another means, so such text is read by a library.
 */
import { type Node, parseTree } from "jsonc-parser";

/** For text whose names callers choose, and that is nested no deeper than a body may be. */
export function parseJson<T = unknown>(text: string): T {
  return (hasEscapedName(text) ? valueIn(parsedTree(text), Number) : JSON.parse(text)) as T;
}

/** Whole numbers that a JavaScript number cannot hold come back as bigint. */
export const parseExactJson = (text: string): unknown =>
  hasEscapedName(text)
    ? valueIn(parsedTree(text), (source) => exactNumber(Number(source), source))
    : withSource.parse(text, (_name, member, { source }) =>
        typeof member === "number" && source !== undefined ? exactNumber(member, source) : member,
      );

/** Amounts as bigint become numbers with all digits. */
export const toExactJson = (value: unknown): string =>
  JSON.stringify(value, (_name, member) => (typeof member === "bigint" ? withSource.rawJSON(String(member)) : member));

/** Node has these; the compiler's library does not declare them yet. */
const withSource = JSON as unknown as {
  rawJSON: (text: string) => object;
  parse: (text: string, revive: (name: string, value: unknown, context: { source?: string }) => unknown) => unknown;
};

const exactNumber = (number: number, source: string): number | bigint =>
  Number.isSafeInteger(number) || !/^-?\d+$/.test(source) ? number : BigInt(source);

/** Only the name of a member is followed by a colon. */
export function hasEscapedName(json: string): boolean {
  let at = json.indexOf("\\");
  while (at !== -1) {
    while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
    do at++;
    while (" \t\r\n".includes(json[at] ?? "x"));
    if (json[at] === ":") return true;
    at = json.indexOf("\\", at);
  }
  return false;
}

type Tree = { json: string; root: Node };

function parsedTree(json: string): Tree {
  // The library repairs what is no JSON.
  JSON.parse(json);
  return { json, root: parseTree(json) as Node };
}

function valueIn({ json, root }: Tree, toNumber: (source: string) => unknown): unknown {
  const read = (node: Node): unknown => {
    if (node.type === "number") return toNumber(json.slice(node.offset, node.offset + node.length));
    if (node.type === "array") return (node.children ?? []).map(read);
    return node.type === "object" ? Object.fromEntries((node.children ?? []).map(member)) : node.value;
  };
  const member = ({ children: [name, value] = [] }: Node): [string, unknown] => [name?.value, read(value as Node)];
  return read(root);
}
