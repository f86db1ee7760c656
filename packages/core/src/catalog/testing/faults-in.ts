/** Faults by the innermost name of their path, each code once, for tests to which the place does not matter. */
import type { Faults, Result } from "../result.ts";

export function faultsIn(result: Result<unknown, Faults>): Faults {
  const named: Record<string, string[]> = {};
  for (const [path, codes] of result.ok ? [] : Object.entries(result.error)) {
    const name = path.replace(/\[\d+\]$/, "").replace(/^.*\./, "");
    named[name] = [...new Set([...(named[name] ?? []), ...codes])];
  }
  return named;
}
