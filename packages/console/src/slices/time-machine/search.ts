/** What the address of a clock says: since when its invoices are shown. */
export type ClockSearch = { since?: string | undefined };

export function parseClockSearch({ since }: Record<string, unknown>): ClockSearch {
  if (typeof since !== "string") return {};
  try {
    return { since: Temporal.Instant.from(since).toString() };
  } catch {
    return {};
  }
}
