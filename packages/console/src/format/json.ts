/** JSON with a line for each member. As text: a parser would round numbers that are too large for it. */
export function indentJson(text: string): string {
  // Texts stay whole; each bracket and comma outside of them begins a line. Empty objects and lists stay in theirs.
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  return tokens
    .map((token) => {
      if (token === "{" || token === "[") {
        depth++;
        return token + line();
      }
      if (token === "}" || token === "]") {
        depth--;
        return line() + token;
      }
      if (token === ",") return token + line();
      return token === ":" ? ": " : token;
    })
    .join("");
}
