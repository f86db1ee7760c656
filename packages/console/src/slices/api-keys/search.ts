/** What the address of the list of API keys says. */
export type KeySearch = { q?: string | undefined; page?: number | undefined };

export function parseKeySearch({ q, page: given }: Record<string, unknown>): KeySearch {
  const page = Number(given);
  return {
    ...((typeof q === "string" && q) || typeof q === "number" ? { q: String(q) } : {}),
    ...(Number.isInteger(page) && page > 1 ? { page } : {}),
  };
}
