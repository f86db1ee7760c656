/** What the address of the list of customers says. */
export type CustomerSearch = { q?: string | undefined; page?: number | undefined };

export function parseCustomerSearch({ q, page: given }: Record<string, unknown>): CustomerSearch {
  const page = Number(given);
  return {
    ...((typeof q === "string" && q) || typeof q === "number" ? { q: String(q) } : {}),
    ...(Number.isInteger(page) && page > 1 ? { page } : {}),
  };
}
