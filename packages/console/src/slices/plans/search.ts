/** What the addresses of the plan pages say. */
export type PlanSearch = { q?: string | undefined; page?: number | undefined };

export function parsePlanSearch({ q, page: given }: Record<string, unknown>): PlanSearch {
  const page = Number(given);
  return {
    ...((typeof q === "string" && q) || typeof q === "number" ? { q: String(q) } : {}),
    ...(Number.isInteger(page) && page > 1 ? { page } : {}),
  };
}

/** What a new plan begins with: a template, or another plan. */
export type NewPlanSearch = { template?: string | undefined; from?: string | undefined };

export const parseNewPlanSearch = ({ template, from }: Record<string, unknown>): NewPlanSearch => ({
  ...(typeof template === "string" ? { template } : {}),
  ...(typeof from === "string" || typeof from === "number" ? { from: String(from) } : {}),
});
