/** The next round number: 1, 2, 2.5 or 5 with zeros. */
export function roundUp(value: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 2.5, 5].find((factor) => factor * magnitude >= value) ?? 10) * magnitude;
}
