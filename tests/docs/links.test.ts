// Links between pages of the repository have targets.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../doors/door.ts";

const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: root,
});
const pages = listed
  .toString()
  .split("\0")
  .filter((path) => path !== "" && existsSync(join(root, path)));

/** The targets of links inside the repository. Fenced blocks contain no links. */
function linksOf(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "").replaceAll(/`[^`\n]*`/g, "");
  const targets = Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), (match) => match[1] ?? "");
  return targets.filter((target) => !/^(https?:|mailto:|#)/.test(target)).map((target) => target.replace(/#.*$/, ""));
}

test.each(pages)("the links of %s have targets", (page) => {
  const dead = linksOf(readFileSync(join(root, page), "utf8")).filter(
    (target) => !existsSync(join(root, dirname(page), target)),
  );
  expect(dead).toEqual([]);
});

test("there are pages with links", () => {
  expect(pages).toContain("README.md");
  expect(linksOf("see [a](b.md#c), [d](https://e.org) and `[f](g)`")).toEqual(["b.md"]);
});
