// The pictures of the console: made by a command, shown by a page, and small.

import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pictureName } from "../../bench/console/picture-names.ts";
import { SCREENS } from "../../bench/console/screens.ts";
import { root } from "../doors/door.ts";
import { ALL_MODES } from "../journeys/modes.ts";

const FOLDER = "docs/images/console";
const BYTES_MAX = 4_000_000;

const pictures = globSync("*", { cwd: join(root, FOLDER) });

test("the command that makes the pictures makes each of them", () => {
  const made = SCREENS.flatMap(({ name }) => ALL_MODES.map((mode) => pictureName(name, mode)));
  expect(pictures.length).toBeGreaterThan(0);
  expect(pictures.filter((name) => !made.includes(name))).toEqual([]);
});

test("a page shows each of them", () => {
  const pages = globSync("docs/**/*.md", { cwd: root }).map((page) => readFileSync(join(root, page), "utf8"));
  expect(pictures.filter((name) => !pages.some((text) => text.includes(`images/console/${name})`)))).toEqual([]);
});

test("who clones the repository waits for less than 4 MB of pictures", () => {
  const bytes = pictures.reduce((sum, name) => sum + statSync(join(root, FOLDER, name)).size, 0);
  expect(bytes).toBeLessThan(BYTES_MAX);
});
