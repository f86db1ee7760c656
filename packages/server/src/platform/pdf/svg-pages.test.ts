import { expect, test } from "vitest";
import { splitPages } from "./svg-pages.ts";

const glyphs = (...ids: string[]) => ids.map((id) => `<symbol id="${id}"><path d="M0 0"/></symbol>`).join("");
const merged = (content: string, pages: number) =>
  `<svg class="typst-doc" viewBox="0 0 200 ${pages * 100}" width="200pt" height="${pages * 100}pt">${content}</svg>`;

test("each page keeps its background, its group and the glyphs that it uses", () => {
  const svg = merged(
    `<path d="a > b"/><g><use xlink:href="#one"/></g><path d="second"/><g transform="matrix(1 0 0 1 0 100)"><g><use xlink:href="#two"/></g></g>
     <defs id="glyph">${glyphs("one", "two")}</defs>`,
    2,
  );
  const [first = "", second = ""] = splitPages(svg);
  expect(first).toContain('viewBox="0 0 200 100" width="200" height="100"');
  expect(first).toContain('<path d="a > b"/><g><use xlink:href="#one"/></g>');
  expect(first).toContain('<symbol id="one">');
  expect(first).not.toMatch(/second|"two"/);
  expect(second).toContain('viewBox="0 100 200 100"');
  expect(second).toContain('<path d="second"/>');
  expect(second).toContain('<symbol id="two">');
  expect(second).not.toContain('"one"');
});

test("a drawing without pages is an error, not an empty list", () => {
  expect(() => splitPages(merged("", 1))).toThrow("the compiler drew no pages");
  expect(() => splitPages("")).toThrow("the compiler drew no pages");
});
