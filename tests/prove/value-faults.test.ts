// The campaign takes minutes for each fault. Here: every fault is where its entry says.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { countOf, ROOT } from "../../prove/guards/tree.ts";
import { STEPS } from "../../prove/lives/steps.ts";
import { FAULTS } from "../../prove/value-faults/faults.ts";

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

test("every ruling on value has a fault, and every fault a name of its own", () => {
  const rulings = new Set(FAULTS.map(({ ruling }) => ruling));
  for (let ruling = 23; ruling <= 37; ruling++) expect(rulings).toContain(String(ruling));
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
});

test.each(FAULTS)("the fault '$name' is where it is said to be", ({ edits, steps, test: named }) => {
  for (const { file, find, replace } of edits) {
    expect(countOf(read(file), find), `${file}: ${find}`).toBe(1);
    expect(replace).not.toBe(find);
  }
  for (const kind of steps) expect([...STEPS.keys()]).toContain(kind);
  if (named) expect(countOf(read(named.file), `"${named.name}"`), named.name).toBe(1);
});
