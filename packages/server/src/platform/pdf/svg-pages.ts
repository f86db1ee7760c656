/** The pages of a document that the compiler draws one below the other, each as an SVG of its own. */

type Element = { name: string; from: number; to: number };

/** Quoted values may hold anything but their quote. */
const TAG = /<(\/?)([\w:]+)((?:\s+[\w:.-]+="[^"]*")*)\s*(\/?)>/g;

/** The elements directly below the root, in order. */
function childrenOf(svg: string): Element[] {
  const children: Element[] = [];
  let depth = 0;
  let start = 0;
  for (const { index, 0: tag, 1: closes, 2: name = "", 4: isEmpty } of svg.matchAll(TAG)) {
    if (!closes && depth === 1) start = index;
    if (!closes && !isEmpty) depth++;
    if (closes) depth--;
    const hasEnded = depth === 1 && (closes || isEmpty);
    if (hasEnded) children.push({ name, from: start, to: index + tag.length });
  }
  return children;
}

const attributeOf = (tag: string, name: string): string => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? "";

/** A page is a group, after its background if it has one. Shapes that all pages share are copied to those that use them. */
export function splitPages(svg: string): string[] {
  const [root = ""] = /^\s*<svg[^>]*>/.exec(svg) ?? [];
  const [, , width = 0, total = 0] = attributeOf(root, "viewBox").split(" ").map(Number);
  const children = childrenOf(svg);
  const textOf = ({ from, to }: Element) => svg.slice(from, to);
  const shared = children.filter(({ name }) => name === "defs").map(textOf);
  const drawn = children.filter(({ name }) => name !== "defs");
  const groups = drawn.flatMap((child, index) => (child.name === "g" ? [index] : []));
  const height = total / groups.length;
  if (!(width > 0 && groups.length > 0 && height > 0)) throw new Error("the compiler drew no pages");
  return groups.map((end, page) => {
    const content = drawn
      .slice(page === 0 ? 0 : (groups[page - 1] ?? 0) + 1, end + 1)
      .map(textOf)
      .join("");
    const box = `viewBox="0 ${page * height} ${width} ${height}" width="${width}" height="${height}"`;
    const names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';
    return `<svg ${names} ${box}>${content}${shared.map((defs) => usedOf(defs, content)).join("")}</svg>`;
  });
}

/** Glyphs are most of a document, and a page uses few of those of all pages. */
function usedOf(defs: string, content: string): string {
  return defs.replace(/<symbol id="([^"]*)"[\s\S]*?<\/symbol>\s*/g, (symbol, id: string) =>
    content.includes(`"#${id}"`) ? symbol : "",
  );
}
