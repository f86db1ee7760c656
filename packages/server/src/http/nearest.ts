/** The known word that a misspelled one is closest to. */

/** A longer word cannot be a misspelling that anyone recognizes, and comparing it takes time. */
const LENGTH_MAX = 64;

/** undefined: none is close. A third of its letters may differ. */
export function nearestOf(word: string, known: Iterable<string>): string | undefined {
  if (word.length > LENGTH_MAX) return undefined;
  let best: { name: string; distance: number } | undefined;
  for (const name of known) {
    const distance = editDistance(word.toLowerCase(), name.toLowerCase());
    if (distance <= Math.max(word.length, name.length) / 3 && distance < (best?.distance ?? Infinity))
      best = { name, distance };
  }
  return best?.name;
}

/** How many letters must be inserted, removed or replaced (Levenshtein). */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= other.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (letter === other[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
