/** The code that a misspelled one is closest to; undefined if a third of its letters or more differ from each. */
export function nearestOf(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((name) => ({ name, distance: editDistance(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(word.length, name.length) / 3)
    .sort((one, other) => one.distance - other.distance);
  return best?.name;
}

/** How many letters differ, are missing or are too many. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const letter of one) {
    const next = [(row[0] ?? 0) + 1];
    for (const [index, against] of [...other].entries()) {
      const replaced = (row[index] ?? 0) + Number(letter !== against);
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
