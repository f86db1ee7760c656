/** Writes bound parameters of ClickHouse's HTTP interface as literals, because chdb's own binding escapes texts inside arrays twice. */

/** Texts, quoted names and comments, which contain no placeholders, or a placeholder. */
const TOKEN =
  /'(?:[^'\\]|\\[\s\S]|'')*'|`(?:[^`\\]|\\[\s\S])*`|"(?:[^"\\]|\\[\s\S])*"|--[^\n]*|\/\*[\s\S]*?\*\/|\{\s*([A-Za-z_]\w*)\s*:\s*([^{}]+?)\s*\}/g;

class UnboundParameter extends Error {
  constructor(name: string) {
    super(`Code: 456. DB::Exception: Substitution \`${name}\` is not set. (UNKNOWN_QUERY_PARAMETER)`);
  }
}

/** Replaces each `{name:Type}` by its value, as text that the engine converts to that type. */
export const bindParameters = (statement: string, values: ReadonlyMap<string, string>): string =>
  statement.replace(TOKEN, (token: string, name?: string, type?: string) => {
    if (name === undefined || type === undefined) return token;
    const value = values.get(name);
    if (value === undefined) throw new UnboundParameter(name);
    return literal(value, type);
  });

function literal(value: string, type: string): string {
  if (type === "Identifier") return `\`${unescapeText(value).replaceAll(/[`\\]/g, "\\$&")}\``;
  if (value === "\\N") return `CAST(NULL, ${quote(type)})`;
  // A list or a tuple is written as in SQL, with its own escapes; everything else like a TabSeparated field.
  const isNested = /^(Array|Tuple|Map|Nested)\(/.test(type);
  return `CAST(${quote(isNested ? value : unescapeText(value))}, ${quote(type)})`;
}

export const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

const ESCAPES: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", b: "\b", f: "\f", "0": "\0" };

const unescapeText = (text: string): string =>
  text.replaceAll(/\\([\s\S])/g, (_, char: string) => ESCAPES[char] ?? char);
